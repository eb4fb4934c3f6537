// A run's output as text, piece by piece: the last lines, since a time, each with its time. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/contracts/events.h"

namespace paddock::api {

struct LogOptions {
  int64_t since_ms = std::numeric_limits<int64_t>::min();
  int64_t skip_lines = 0;  // of those since then
  bool timestamps = false;
  int64_t limit_bytes = std::numeric_limits<int64_t>::max();
};

class LogText {
 public:
  explicit LogText(const LogOptions& options) : options_(options) {}
  // The text of these events, after those before; empty when nothing of them is wanted.
  std::string next(const std::vector<contracts::RunEvent>& events);
  // Lines so far; an unfinished last line counts.
  int64_t lines() const { return ended_ + (open_ ? 1 : 0); }
  bool full() const { return written_ >= options_.limit_bytes; }

 private:
  void add(const contracts::RunEvent& event, std::string& out);

  LogOptions options_;
  int64_t ended_ = 0;
  bool open_ = false;  // the last line has no end yet
  int64_t written_ = 0;
};

// Skips the first events of an output: those before a time, and a number of lines. Pure.
class LogStart {
 public:
  LogStart(int64_t since_ms, int64_t skip_lines) : since_ms_(since_ms), left_(skip_lines) {}
  // Whether this event is wanted: it is the first wanted one, or comes after it. An event may be
  // cut to the part that is wanted. Earlier events are not, except for the end of the run.
  bool takes(contracts::RunEvent& event);

 private:
  int64_t since_ms_;
  int64_t left_;  // lines
  bool begun_ = false;
};

}  // namespace paddock::api
