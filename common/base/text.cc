#include "common/base/text.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace paddock {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `bytes`, or 0.
size_t utf8_length(std::string_view bytes) {
  auto at = [&](size_t i) {
    return i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : uint8_t{0};
  };
  auto tail = [&](size_t i) { return (at(i) & 0xC0) == 0x80; };
  const uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = lead == 0xED ? 0x9F : 0xBF;
    return at(1) >= low && at(1) <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
    return at(1) >= low && at(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

// How many bytes at the start are ASCII. Most text is, so it is looked at a word at a time.
size_t ascii_prefix(std::string_view bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t at = 0;
  for (uint64_t word = 0; at + sizeof(word) <= bytes.size(); at += sizeof(word)) {
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (at < bytes.size() && (bytes[at] & 0x80) == 0) ++at;
  return at;
}

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (true) {
    const size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t start = text.find_first_not_of(kSpace);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

size_t utf8_prefix(std::string_view bytes) {
  size_t at = ascii_prefix(bytes);
  while (at < bytes.size()) {
    const size_t length = utf8_length(bytes.substr(at));
    if (length == 0) break;
    at += length;
    at += ascii_prefix(bytes.substr(at));
  }
  return at;
}

bool is_utf8(std::string_view bytes) { return utf8_prefix(bytes) == bytes.size(); }

std::string to_utf8_lossy(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = utf8_length(bytes);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

size_t base64_length(size_t bytes) { return (bytes + 2) / 3 * 4; }

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve(base64_length(bytes.size()));
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<uint8_t>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += k <= count ? kBase64[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
    uint32_t group = 0;
    for (size_t k = 0; k < 4; ++k) {
      size_t digit = 0;
      if (k < 4 - padding) {
        digit = kBase64.find(text[i + k]);
        if (digit == std::string_view::npos) return std::nullopt;
      }
      group = group << 6 | static_cast<uint32_t>(digit);
    }
    // Bits that no byte has are zero: the same bytes have one text.
    if ((group & ((1U << 8 * padding) - 1)) != 0) return std::nullopt;
    for (size_t k = 0; k < 3 - padding; ++k) out += static_cast<char>(group >> (16 - 8 * k) & 255);
  }
  return out;
}

}  // namespace paddock
