#include "common/base/control_text.h"

#include "common/base/text.h"

namespace paddock {
namespace {

// A control character of one, two or three bytes.
std::string escaped(std::string_view character) {
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  if (character == "\r") return "\\r";
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return cat("\\x", hex(character));
  const unsigned code = character.size() == 2
                            ? (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU)
                            : (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  const char bytes[] = {static_cast<char>(code >> 8), static_cast<char>(code & 0xFFU)};
  return cat("\\u", hex({bytes, 2}));
}

}  // namespace

size_t control_length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto between = [](unsigned value, unsigned low, unsigned high) {
    return value >= low && value <= high;
  };
  if (text.empty()) return 0;
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && between(byte(1), 0x80, 0x9F)) return 2;  // C1
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;               // U+061C
  if (byte(0) != 0xE2) return 0;
  const bool marks = byte(1) == 0x80 && (between(byte(2), 0x8E, 0x8F) ||  // U+200E, U+200F
                                         between(byte(2), 0xA8, 0xAE));   // U+2028 to U+202E
  const bool isolates = byte(1) == 0x81 && between(byte(2), 0xA6, 0xA9);  // U+2066 to U+2069
  return marks || isolates ? 3 : 0;
}

bool has_control(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (control_length(text.substr(i)) > 0) return true;
  }
  return false;
}

std::string escape_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = control_length(text);
    out += length == 0 ? std::string(text.substr(0, 1)) : escaped(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace paddock
