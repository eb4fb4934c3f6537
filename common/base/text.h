// Small string helpers; everything here is pure.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock {

namespace internal {
inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, char c) { out += c; }
template <std::same_as<bool> T>
void append(std::string& out, T value) {
  out += value ? "true" : "false";
}
template <std::integral T>
requires(!std::same_as<T, bool> && !std::same_as<T, char>) void append(std::string& out, T value) {
  out += std::to_string(value);
}
}  // namespace internal

// Concatenates strings, characters, booleans and integers.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (internal::append(out, parts), ...);
  return out;
}

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view trim(std::string_view text);
std::string ascii_lower(std::string_view text);
// True for well-formed UTF-8: no overlong forms, surrogates or values above U+10FFFF.
bool is_utf8(std::string_view bytes);
// How many bytes at the start are well-formed UTF-8: all of them, or the offset of the first fault.
size_t utf8_prefix(std::string_view bytes);
// Bytes as UTF-8 text: each malformed sequence becomes U+FFFD.
std::string to_utf8_lossy(std::string_view bytes);
std::string hex(std::string_view bytes);
size_t base64_length(size_t bytes);  // of the text that base64() makes of so many
std::string base64(std::string_view bytes);
std::optional<std::string> decode_base64(std::string_view text);  // strict: padded, no white space

// The whole of `text` as a decimal integer, or nothing.
template <std::integral T>
std::optional<T> parse_integer(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace paddock
