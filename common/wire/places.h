// Faults with the places where people find them: `c.yaml:3: port: expected integer, got string`.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"

namespace paddock::wire {

// `places`: one for each cause (`c.yaml:3`), put in front of its field; empty: the field stays as
// it is. A message that begins with the first cause, as Check::error() has it, gets that one's
// place.
Error with_places(Error error, const std::vector<std::string>& places);

}  // namespace paddock::wire
