#include "controller/api/handlers/runs/log_text.h"

#include <algorithm>

#include "common/base/time.h"

namespace paddock::api {
namespace {

bool is_output(const contracts::RunEvent& event) {
  return event.type == contracts::kEventStdout || event.type == contracts::kEventStderr;
}

}  // namespace

std::string LogText::next(const std::vector<contracts::RunEvent>& events) {
  std::string out;
  for (const contracts::RunEvent& event : events) {
    if (is_output(event) && event.time_ms >= options_.since_ms) add(event, out);
  }
  const int64_t left = std::max<int64_t>(0, options_.limit_bytes - written_);
  if (static_cast<int64_t>(out.size()) > left) out.resize(static_cast<size_t>(left));
  written_ += static_cast<int64_t>(out.size());
  return out;
}

bool LogStart::takes(contracts::RunEvent& event) {
  if (begun_ || event.type == contracts::kEventEnd) return begun_ = true;
  if (!is_output(event) || event.time_ms < since_ms_) return false;
  for (; left_ > 0 && !event.data.empty(); --left_) {
    const size_t end = event.data.find('\n');
    event.data.erase(0, end == event.data.npos ? end : end + 1);
    if (end == event.data.npos) return false;  // the line goes on
  }
  return begun_ = !event.data.empty();
}

void LogText::add(const contracts::RunEvent& event, std::string& out) {
  const std::string stamp =
      options_.timestamps ? format_time(WallTime{event.time_ms}, true) + " " : std::string();
  std::string_view rest = event.data;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view piece = rest.substr(0, end == rest.npos ? rest.npos : end + 1);
    if (ended_ >= options_.skip_lines) {
      if (!open_) out += stamp;
      out += piece;
    }
    open_ = end == rest.npos;
    if (!open_) ++ended_;
    rest.remove_prefix(piece.size());
  }
}

}  // namespace paddock::api
