#include "cli/terminal/terminal_lines.h"

#include <utility>

namespace paddock::cli {

void TerminalLines::end_open_line() {
  if (open_ == nullptr) return;
  open_->write("\n");
  ended_ = std::exchange(open_, nullptr);
}

void TerminalLines::put(const Stream& stream, std::string_view text) {
  if (text.empty()) return;
  if (open_ != &stream && redrawn_) end_open_line();
  if (ended_ == &stream) {
    ended_ = nullptr;
    if (text.starts_with('\n')) text.remove_prefix(1);
  }
  stream.write(text);
  const std::string_view last = text.substr(text.rfind('\n') + 1);
  const bool goes_on = open_ == &stream && last.size() == text.size();
  redrawn_ = (goes_on && redrawn_) || last.find('\r') != std::string_view::npos;
  if (!last.empty()) open_ = &stream;
  if (last.empty() && !text.empty()) open_ = nullptr;
}

}  // namespace paddock::cli
