#include "common/contracts/drain.h"

namespace paddock::contracts {

void DrainRequest::validate(wire::Check& check) const {
  constexpr Millis kLongest{7 * 24 * int64_t{3'600'000}};
  if (grace.value < Millis(0) || grace.value > kLongest)
    check.fail("grace", "must be between 0s and 168h");
}

}  // namespace paddock::contracts
