#include "common/base/units.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include "common/base/text.h"

namespace paddock {
namespace {

struct Unit {
  std::string_view suffix;
  int64_t factor;
};
// Far beyond any use, and a time of now can be added to it.
constexpr Millis kLongestDuration = std::chrono::hours(1'000'000'000);
constexpr std::array kTimeUnits = {Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1000},
                                   Unit{"ms", 1}};
constexpr std::array kByteUnits = {Unit{"Ti", int64_t{1} << 40},
                                   Unit{"Gi", 1 << 30},
                                   Unit{"Mi", 1 << 20},
                                   Unit{"Ki", 1 << 10},
                                   Unit{"T", 1'000'000'000'000},
                                   Unit{"G", 1'000'000'000},
                                   Unit{"M", 1'000'000},
                                   Unit{"k", 1000},
                                   Unit{"", 1}};

Error bad_duration(std::string_view text) {
  return invalid_argument("DURATION_INVALID",
                          cat("\"", to_utf8_lossy(text),
                              "\" is not a duration: write for example 30m, 90s, 1h30m or 250ms"));
}
Error out_of_range(std::string_view text) {
  return invalid_argument(
      "DURATION_INVALID",
      cat("\"", to_utf8_lossy(text), "\" is out of range: a duration is from 1ms to ",
          format_duration(kLongestDuration), ", for example 30m"));
}
Error bad_quantity(std::string_view text) {
  return invalid_argument("QUANTITY_INVALID",
                          cat("\"", to_utf8_lossy(text),
                              "\" is not a quantity: write for example 512Mi, 8Gi or 1000000"));
}

std::string_view take_digits(std::string_view& text) {
  const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool scale(int64_t number, int64_t factor, int64_t& out) {
  return !__builtin_mul_overflow(number, factor, &out);
}

}  // namespace

Result<Millis> parse_duration(std::string_view text) {
  std::string_view rest = text;
  int64_t total = 0;
  bool fits = true;
  size_t next_unit = 0;
  while (!rest.empty()) {
    const std::string_view digits = take_digits(rest);
    const size_t letters = std::min(rest.find_first_of("0123456789"), rest.size());
    const std::string_view suffix = rest.substr(0, letters);
    rest.remove_prefix(letters);
    size_t unit = next_unit;
    while (unit < kTimeUnits.size() && kTimeUnits[unit].suffix != suffix) ++unit;
    if (digits.empty() || unit == kTimeUnits.size()) return bad_duration(text);
    const auto number = parse_integer<int64_t>(digits);
    int64_t part = 0;
    fits = fits && number && scale(*number, kTimeUnits[unit].factor, part) &&
           !__builtin_add_overflow(total, part, &total);
    next_unit = unit + 1;
  }
  if (text.empty()) return bad_duration(text);
  if (!fits || total <= 0 || Millis(total) > kLongestDuration) return out_of_range(text);
  return Millis(total);
}

std::string format_duration(Millis duration) {
  int64_t rest = duration.count();
  if (rest <= 0) return "0s";
  std::string out;
  for (const Unit& unit : kTimeUnits) {
    if (rest >= unit.factor) out += cat(rest / unit.factor, unit.suffix);
    rest %= unit.factor;
  }
  return out;
}

Result<int64_t> parse_quantity(std::string_view text) {
  std::string_view suffix = text;
  const auto number = parse_integer<int64_t>(take_digits(suffix));
  if (!number) return bad_quantity(text);
  for (const Unit& unit : kByteUnits) {
    int64_t bytes = 0;
    if (unit.suffix == suffix)
      return scale(*number, unit.factor, bytes) ? Result<int64_t>(bytes) : bad_quantity(text);
  }
  return bad_quantity(text);
}

std::string format_quantity(int64_t bytes) {
  for (size_t i = 0; i < 4 && bytes != 0; ++i) {
    if (bytes % kByteUnits[i].factor == 0)
      return cat(bytes / kByteUnits[i].factor, kByteUnits[i].suffix);
  }
  return std::to_string(bytes);
}

std::string format_bytes(int64_t bytes) {
  for (size_t i = 0; i < 4; ++i) {
    if (bytes < kByteUnits[i].factor) continue;
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.1f %.*sB",
                  static_cast<double>(bytes) / static_cast<double>(kByteUnits[i].factor),
                  static_cast<int>(kByteUnits[i].suffix.size()), kByteUnits[i].suffix.data());
    return buffer;
  }
  return cat(bytes, " B");
}

}  // namespace paddock
