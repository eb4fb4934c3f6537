#include "cli/core/safe_output.h"

#include "common/base/text.h"

namespace paddock::cli {
namespace {

constexpr char kEscape = '\x1b';

// Length of a colour sequence (ESC [ digits ; m) at the start, or 0.
size_t colour_length(std::string_view text) {
  if (text.size() < 3 || text[0] != kEscape || text[1] != '[') return 0;
  for (size_t i = 2; i < text.size(); ++i) {
    if (text[i] == 'm') return i + 1;
    if (text[i] != ';' && (text[i] < '0' || text[i] > '9')) return 0;
  }
  return 0;
}

bool is_allowed(char c) { return c == '\n' || c == '\r' || c == '\t' || c == '\b'; }
bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && !is_allowed(c)) || c == '\x7f';
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  const std::string clean = to_utf8_lossy(text);
  std::string out;
  out.reserve(clean.size());
  for (size_t i = 0; i < clean.size();) {
    if (const size_t colour = colour_length(std::string_view(clean).substr(i))) {
      out += clean.substr(i, colour);
      i += colour;
      continue;
    }
    const bool c1 = clean[i] == '\xc2' && i + 1 < clean.size() &&
                    static_cast<unsigned char>(clean[i + 1]) < 0xa0;
    if (c1) {
      i += 2;
      continue;
    }
    if (!is_control(clean[i])) out += clean[i];
    ++i;
  }
  return out;
}

}  // namespace paddock::cli
