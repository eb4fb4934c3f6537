// Progress for people: one redrawn line on a terminal, a line now and then elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/terminal/terminal.h"
#include "common/base/time.h"

namespace paddock::cli {

struct Progress {
  int64_t done = 0;
  int64_t total = 0;
  std::string note;  // what stands after the numbers
  bool bytes = false;
  friend bool operator==(const Progress&, const Progress&) = default;
};

// Reads `progress N/M` with an optional note, as a job may print it on a line of its own.
std::optional<Progress> parse_progress(std::string_view line);
// `label [#####.....] 50% 5/10 note`, or `50% 5.0 MiB of 10.0 MiB`; at most `width` columns,
// of which the bar has what the numbers leave.
std::string progress_line(std::string_view label, const Progress& progress, int width);

// Draws progress on a stream. Not thread-safe. Text for the same terminal is to be written between
// hide() and the next show().
class ProgressDisplay {
 public:
  ProgressDisplay(const Stream& stream, std::string label)
      : stream_(stream), label_(std::move(label)) {}
  ~ProgressDisplay() { hide(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // On a terminal redraws at most ten times a second; elsewhere writes a line every five seconds.
  void show(const Progress& progress, MonoTime now);
  void hide();

 private:
  const Stream& stream_;
  std::string label_;
  bool visible_ = false;
  std::optional<MonoTime> last_;
};

}  // namespace paddock::cli
