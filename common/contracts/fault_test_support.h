// A refusal as tests compare it: the field and the kind of what is wrong there, and not its words,
// which may be improved at any time.
#pragma once

#include <string>
#include <string_view>

#include "common/base/error.h"
#include "common/base/text.h"

namespace paddock::contracts {

inline std::string_view word_of(CauseKind kind) {
  switch (kind) {
    case CauseKind::kInvalid:
    case CauseKind::kUnknownField:
      return "invalid";
    case CauseKind::kRequired:
      return "required";
    case CauseKind::kWrongType:
      return "wrong type";
    case CauseKind::kNotSupported:
      return "not supported";
  }
  return "";
}

// `spec.command: required`, of the first cause.
inline std::string first_fault(const Error& error) {
  const Cause& cause = error.causes.at(0);
  return cat(cause.field, ": ", word_of(cause.kind));
}

}  // namespace paddock::contracts
