// Server-sent events out of a byte stream that arrives in any pieces. Pure.
// (WHATWG HTML, section 9.2.6 "Interpreting an event stream")
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::client {

struct SseEvent {
  std::string id;  // of this event or, if it has none, of the last that had one
  std::string type = "message";
  std::string data;
};

class SseParser {
 public:
  static constexpr size_t kMaxEventBytes = 1 << 20;

  // Hands on each event that is complete now. False once `on_event` returned false: feed no more.
  // TooLarge, reason EVENT_TOO_LARGE, when one line or one event outgrows the cap.
  Result<bool> feed(std::string_view bytes, const std::function<bool(const SseEvent&)>& on_event);

 private:
  void take_line(std::string_view line);
  std::string line_;  // so far
  bool after_cr_ = false;
  bool first_line_ = true;
  bool has_data_ = false;
  SseEvent event_;
};

}  // namespace paddock::client
