// Time comes in from outside: logic takes a Clock or a time, and never asks the system itself.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/units.h"

namespace paddock {

// A point on the calendar, milliseconds since 1970 UTC. It may jump; use it for records only.
struct WallTime {
  int64_t ms = 0;
  friend auto operator<=>(const WallTime&, const WallTime&) = default;
  friend WallTime operator+(WallTime t, Millis d) { return {t.ms + d.count()}; }
  friend Millis operator-(WallTime a, WallTime b) { return Millis(a.ms - b.ms); }
};

// A point on this host's monotonic clock. It never jumps; use it for deadlines and durations.
struct MonoTime {
  int64_t ms = 0;
  friend auto operator<=>(const MonoTime&, const MonoTime&) = default;
  friend MonoTime operator+(MonoTime t, Millis d) { return {t.ms + d.count()}; }
  friend Millis operator-(MonoTime a, MonoTime b) { return Millis(a.ms - b.ms); }
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime wall() const = 0;
  virtual MonoTime mono() const = 0;
};

// The only place that reads the system clock. Only */app and tests name it.
class SystemClock final : public Clock {
 public:
  WallTime wall() const override;
  MonoTime mono() const override;
};

// A clock that a test or the simulator moves. Not thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallTime start = {1'750'000'000'000}) : wall_(start) {}
  WallTime wall() const override { return wall_; }
  MonoTime mono() const override { return mono_; }
  void advance(Millis by) { wall_ = wall_ + by, mono_ = mono_ + by; }
  void skew_wall(Millis by) { wall_ = wall_ + by; }

 private:
  WallTime wall_;
  MonoTime mono_{1'000'000};
};

// RFC 3339, UTC: `2026-01-02T03:04:05Z`, with `.678` when `millis` is set. (RFC 3339 section 5.6)
std::string format_time(WallTime time, bool millis = false);
std::optional<WallTime> parse_time(std::string_view text);
// How kubectl writes an age: `12s`, `5m3s`, `3h`, `2d`.
std::string format_age(Millis age);

}  // namespace paddock
