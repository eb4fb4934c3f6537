// When a number of JSON is an integer.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "common/wire/value.h"

namespace paddock::wire {

// `256.0` is an integer, as JSON Schema has it; programs whose numbers are all doubles write it so.
// Nothing where it is no whole number, or one beyond which doubles leave integers out.
inline std::optional<int64_t> whole_number(const Value& value) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  if (value.integer() != nullptr) return *value.integer();
  const double* number = value.number();
  const bool whole =
      number != nullptr && std::trunc(*number) == *number && std::abs(*number) < kMostExact;
  return whole ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

}  // namespace paddock::wire
