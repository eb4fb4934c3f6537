// Whether this host and a peer agree on the time. Nothing here depends on it (leases and deadlines
// are on steady clocks), but certificates are checked by it and every time that people see is of
// it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/reason.h"
#include "common/base/time.h"

namespace paddock::http {

inline constexpr Millis kClockTolerance{30'000};      // more is told to people
inline constexpr Reason kClockWrong = "CLOCK_WRONG";  // by this reason
inline constexpr const char* kSetClock =
    "`timedatectl set-ntp true` (macOS: `systemsetup -setusingnetworktime on`)";

// How far the peer's clock is ahead of this host's, negative: behind. `date` is its Date header,
// made at some time between `sent` and `received` of ours; zero where both may be right, nothing
// for what is no date, or if ours was set back meanwhile.
std::optional<Millis> clock_gap(std::string_view date, WallTime sent, WallTime received);
// In words, with what mends it; empty within kClockTolerance.
std::string clock_gap_text(Millis gap, std::string_view peer);

}  // namespace paddock::http
