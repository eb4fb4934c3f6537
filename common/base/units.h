// Durations and quantities as people write them: `30m`, `1h30m`, `250ms`; `8Gi`, `512Mi`, `1000`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock {

using Millis = std::chrono::milliseconds;

// Units h, m, s, ms in that order, each at most once: `1h30m`. Zero and negative are refused.
Result<Millis> parse_duration(std::string_view text);
// The shortest text that parse_duration reads back: `1h30m`, `250ms`. Zero gives `0s`.
std::string format_duration(Millis duration);

// A whole number of bytes with an optional suffix Ki Mi Gi Ti (1024) or k M G T (1000).
Result<int64_t> parse_quantity(std::string_view text);
// The largest 1024-unit that divides the number: 8589934592 -> `8Gi`; 1000 -> `1000`.
std::string format_quantity(int64_t bytes);
// For people: `7.2 MiB`, `512 B`.
std::string format_bytes(int64_t bytes);

}  // namespace paddock
