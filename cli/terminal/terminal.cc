#include "cli/terminal/terminal.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "common/base/control_text.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

struct Rune {
  uint32_t code = 0;
  size_t bytes = 1;
};

// The first character of well-formed UTF-8.
Rune first_rune(std::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const uint32_t lead = byte(0);
  const size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (size == 1 || text.size() < size) return {lead, 1};
  uint32_t code = lead & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i) code = (code << 6) | (byte(i) & 0x3f);
  return {code, size};
}

using Range = std::pair<uint32_t, uint32_t>;
constexpr std::array kWide = {
    Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},  Range{0xac00, 0xd7a3},
    Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},  Range{0xffe0, 0xffe6},
    Range{0x1f300, 0x1f64f}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};
constexpr std::array kCombining = {Range{0x300, 0x36f}, Range{0x200b, 0x200f},
                                   Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f},
                                   Range{0xfe20, 0xfe2f}};

bool within(uint32_t code, const auto& ranges) {
  return std::ranges::any_of(ranges,
                             [&](const Range& r) { return code >= r.first && code <= r.second; });
}

size_t columns(uint32_t code) { return within(code, kCombining) ? 0 : within(code, kWide) ? 2 : 1; }

std::string without_controls(std::string_view text, bool keep_lines) {
  const std::string clean = to_utf8_lossy(text);
  std::string out;
  out.reserve(clean.size());
  for (std::string_view rest = clean; !rest.empty();) {
    const Rune rune = first_rune(rest);
    const bool kept = keep_lines && (rune.code == '\n' || rune.code == '\t');
    if (control_length(rest) > 0 && !kept) {
      out += rune.code == '\n' || rune.code == '\t' || rune.code == '\r' ? " " : "\xef\xbf\xbd";
    } else {
      out += rest.substr(0, rune.bytes);
    }
    rest.remove_prefix(rune.bytes);
  }
  return out;
}

std::string_view sequence(Paint how) {
  switch (how) {
    case Paint::kPlain:
      return "";
    case Paint::kDim:
      return "\x1b[2m";
    case Paint::kBold:
      return "\x1b[1m";
    case Paint::kRed:
      return "\x1b[31m";
    case Paint::kGreen:
      return "\x1b[32m";
    case Paint::kYellow:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

std::string paint(const Stream& stream, Paint how, std::string_view text) {
  if (!stream.colour || how == Paint::kPlain) return std::string(text);
  return cat(sequence(how), text, "\x1b[0m");
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    width += columns(rune.code);
    text.remove_prefix(rune.bytes);
  }
  return width;
}

std::string pad_right(std::string_view text, size_t width) {
  const size_t have = display_width(text);
  return cat(text, std::string(have < width ? width - have : 0, ' '));
}

std::string shorten(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t used = 0;
  size_t bytes = 0;
  while (bytes < text.size()) {
    const Rune rune = first_rune(text.substr(bytes));
    if (used + columns(rune.code) > width - 1) break;
    used += columns(rune.code);
    bytes += rune.bytes;
  }
  return cat(text.substr(0, bytes), "…");
}

std::string printable(std::string_view text) { return without_controls(text, false); }
std::string printable_lines(std::string_view text) { return without_controls(text, true); }

}  // namespace paddock::cli
