// When a request may be sent again, and after how long. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/error.h"
#include "common/base/random.h"
#include "common/base/units.h"

namespace paddock::client {

// Repeating it cannot do anything twice: the method says so, or the server knows it by a key.
bool safe_to_repeat(std::string_view method, bool keyed);

struct Failure {
  Error error;
  std::optional<Millis> retry_after = {};  // what the server asked for
};
// How long to wait before sending again, or nothing if that is not allowed or not worth it.
// `failed` counts from 1.
std::optional<Millis> retry_delay(const Failure& failure, bool repeatable, int failed,
                                  Random& random);

// The value of a Retry-After header in seconds; dates are not understood.
std::optional<Millis> parse_retry_after(std::string_view value);

}  // namespace paddock::client
