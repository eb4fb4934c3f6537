#include "cli/terminal/safe_output.h"

#include <algorithm>

#include "common/base/control_text.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

constexpr char kEscape = '\x1b';

constexpr size_t kLongestSequence = 64;

// Length of a control sequence (ESC [, parameters, a letter) at the start, or 0.
size_t sequence_length(std::string_view text) {
  if (text.size() < 3 || text[0] != kEscape || text[1] != '[') return 0;
  for (size_t i = 2; i < std::min(text.size(), kLongestSequence); ++i) {
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
    if (text[i] < ' ' || text[i] > '?') return 0;
  }
  return 0;
}

bool is_colour(std::string_view sequence) {
  return sequence.back() == 'm' &&
         sequence.find_first_not_of("0123456789;", 2) == sequence.size() - 1;
}

constexpr std::string_view kEraseRest = "\x1b[K";
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// How many bytes at the start go back in the line; the end of a line in two bytes does not.
size_t way_back(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("\r\b"), text.size());
  const bool line_ends = end > 0 && end < text.size() && text[end] == '\n' && text[end - 1] == '\r';
  return line_ends ? end - 1 : end;
}

// U+200E, U+200F and U+061C say which way a single character goes, and mixed text has them.
bool is_plain_mark(std::string_view character) {
  return character == "\xe2\x80\x8e" || character == "\xe2\x80\x8f" || character == "\xd8\x9c";
}

// The replacement for a control character of this length.
std::string_view in_place_of(std::string_view control) {
  if (control == "\n" || control == "\t" || control == "\r") return control;
  return control.size() < 3 || is_plain_mark(control) ? "" : kReplacement;
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  const std::string clean = to_utf8_lossy(text);
  std::string out;
  out.reserve(clean.size());
  for (std::string_view rest = clean; !rest.empty();) {
    size_t taken = 1;
    if (const size_t sequence = sequence_length(rest)) {
      const std::string_view whole = rest.substr(0, taken = sequence);
      if (is_colour(whole)) out += whole;  // all others move, erase or ask, and leave nothing
    } else if (const size_t back = way_back(rest)) {
      out += cat(rest.substr(0, taken = back), kEraseRest);
    } else if (const size_t control = control_length(rest)) {
      out += in_place_of(rest.substr(0, taken = control));
    } else {
      out += rest[0];
    }
    rest.remove_prefix(taken);
  }
  return out;
}

}  // namespace paddock::cli
