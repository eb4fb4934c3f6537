#include "common/client/sse_parser.h"

namespace paddock::client {

Result<bool> SseParser::feed(std::string_view bytes,
                             const std::function<bool(const SseEvent&)>& on_event) {
  while (!bytes.empty()) {
    if (after_cr_ && bytes[0] == '\n') bytes.remove_prefix(1);  // the second half of a CRLF
    after_cr_ = false;
    const size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() + event_.data.size() > kMaxEventBytes) {
      return Error{Code::kTooLarge, "EVENT_TOO_LARGE",
                   "the server sent an event that is too large"};
    }
    line_ += piece;
    if (end == std::string_view::npos) return true;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    const std::string line = std::move(line_);
    line_.clear();
    if (!line.empty()) {
      take_line(line);
      continue;
    }
    const SseEvent complete = event_;
    const bool dispatch = has_data_;
    event_ = SseEvent{complete.id};
    has_data_ = false;
    first_line_ = false;
    if (dispatch && !on_event(complete)) return false;
  }
  return true;
}

void SseParser::take_line(std::string_view line) {
  if (first_line_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  first_line_ = false;
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (name == "event") {
    event_.type = value.empty() ? "message" : value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }  // comments have an empty name; anything else is not for us
}

}  // namespace paddock::client
