#include "common/base/control_text.h"

namespace paddock {

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

}  // namespace paddock
