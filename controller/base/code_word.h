// The words that a node says and that clients branch on. Pure.
#pragma once

#include <string_view>

#include "common/base/reason.h"

namespace paddock {

// In the place of a code that a node said and that is none.
inline constexpr Reason kCodeInvalid = "NODE_CODE_INVALID";

inline Reason code_or_invalid(std::string_view said) {
  const Reason reason = Reason::parse(said);
  return reason.empty() && !said.empty() ? kCodeInvalid : reason;
}

}  // namespace paddock
