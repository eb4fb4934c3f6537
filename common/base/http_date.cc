#include "common/base/http_date.h"

#include <array>
#include <chrono>

#include "common/base/text.h"

namespace paddock {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr size_t kSize = 29;

std::string_view month_number(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNumbers = {"01", "02", "03", "04", "05", "06",
                                                         "07", "08", "09", "10", "11", "12"};
  for (size_t i = 0; i < kMonths.size(); ++i) {
    if (kMonths[i] == name) return kNumbers[i];
  }
  return "00";
}

}  // namespace

std::string format_http_date(WallTime time) {
  using namespace std::chrono;
  const auto day = floor<days>(sys_time<milliseconds>(milliseconds(time.ms)));
  const year_month_day date{day};
  const std::string plain = format_time(time);  // 2026-01-02T03:04:05Z
  return cat(kDays[weekday(day).c_encoding()], ", ", plain.substr(8, 2), " ",
             kMonths[unsigned{date.month()} - 1], " ", plain.substr(0, 4), " ", plain.substr(11, 8),
             " GMT");
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  if (text.size() != kSize || text.substr(25) != " GMT") return std::nullopt;
  const auto time = parse_time(cat(text.substr(12, 4), "-", month_number(text.substr(8, 3)), "-",
                                   text.substr(5, 2), "T", text.substr(17, 8), "Z"));
  if (!time || format_http_date(*time) != text) return std::nullopt;
  return time;
}

}  // namespace paddock
