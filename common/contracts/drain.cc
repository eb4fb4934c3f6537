#include "common/contracts/drain.h"

namespace paddock::contracts {

void DrainRequest::validate(wire::Check& check) const {
  constexpr Millis kLongest = std::chrono::hours(7 * 24);
  if (grace.value < Millis(0) || grace.value > kLongest)
    check.fail("grace", "must be between 0s and 168h");
}

}  // namespace paddock::contracts
