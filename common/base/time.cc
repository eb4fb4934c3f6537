#include "common/base/time.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include "common/base/text.h"

namespace paddock {
namespace {

#ifdef CLOCK_BOOTTIME
constexpr clockid_t kSteadyClock = CLOCK_BOOTTIME;
#else
constexpr clockid_t kSteadyClock = CLOCK_MONOTONIC;  // goes on in sleep where there is no other
#endif

int64_t read_clock_ms(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

WallTime SystemClock::wall() const { return {read_clock_ms(CLOCK_REALTIME)}; }
MonoTime SystemClock::mono() const { return {read_clock_ms(kSteadyClock)}; }

std::string format_time(WallTime time, bool millis) {
  using namespace std::chrono;
  const sys_time<milliseconds> point{milliseconds(time.ms)};
  const auto day = floor<days>(point);
  const year_month_day date{day};
  const hh_mm_ss<milliseconds> clock{point - day};
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04d-%02u-%02uT%02d:%02d:%02d", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()},
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  std::string out = buffer;
  if (millis) {
    std::snprintf(buffer, sizeof buffer, ".%03d", static_cast<int>(clock.subseconds().count()));
    out += buffer;
  }
  return out + "Z";
}

std::optional<WallTime> parse_time(std::string_view text) {
  using namespace std::chrono;
  if (text.size() < 20 || text.back() != 'Z' || text[4] != '-' || text[7] != '-' ||
      text[10] != 'T' || text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  // Digits only: from_chars would also take a sign.
  auto number = [&](size_t at, size_t count) {
    const std::string_view digits = text.substr(at, count);
    if (digits.find_first_not_of("0123456789") != digits.npos) return -1;
    return parse_integer<int>(digits).value_or(-1);
  };
  const int y = number(0, 4), mo = number(5, 2), d = number(8, 2), h = number(11, 2),
            mi = number(14, 2), s = number(17, 2);
  int ms = 0;
  if (text.size() > 20) {
    if (text.size() != 24 || text[19] != '.') return std::nullopt;
    ms = number(20, 3);
  }
  const year_month_day date{year(y), month(static_cast<unsigned>(mo)),
                            day(static_cast<unsigned>(d))};
  if (y < 0 || !date.ok() || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 59 || ms < 0)
    return std::nullopt;
  const auto point = sys_days(date) + hours(h) + minutes(mi) + seconds(s) + milliseconds(ms);
  return WallTime{duration_cast<milliseconds>(point.time_since_epoch()).count()};
}

std::string format_age(Millis age) {
  const int64_t seconds = std::max<int64_t>(0, age.count() / 1000);
  const int64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
  if (seconds < 120) return cat(seconds, "s");
  if (minutes < 10)
    return seconds % 60 == 0 ? cat(minutes, "m") : cat(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return cat(minutes, "m");
  if (hours < 8) return minutes % 60 == 0 ? cat(hours, "h") : cat(hours, "h", minutes % 60, "m");
  if (hours < 48) return cat(hours, "h");
  return cat(days, "d");
}

}  // namespace paddock
