// For tests, each of which is compiled with this file in front: a reason is compared with a plain
// word, which may be one that no row has.
#pragma once

#include <concepts>

#include "common/base/reason.h"

namespace paddock {

template <std::same_as<Reason> Kind>  // not of what is made a reason
bool operator==(const Kind& reason, const char* word) {
  return reason.text() == word;
}

}  // namespace paddock
