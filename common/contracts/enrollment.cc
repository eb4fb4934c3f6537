#include "common/contracts/enrollment.h"

namespace paddock::contracts {

void EnrollTokenRequest::validate(wire::Check& check) const {
  if (ttl.value < Millis(1000) || ttl.value > kLongestEnrollTokenLife)
    check.fail("ttl", "must be between 1s and 24h");
}

}  // namespace paddock::contracts
