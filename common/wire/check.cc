#include "common/wire/check.h"

#include <algorithm>

#include "common/base/fault_sentence.h"

namespace paddock::wire {
namespace {

constexpr size_t kMostCauses = 100;

}  // namespace

Error Check::error() const {
  const bool only_unknown = unknown_ == causes_.size();
  // A document that is wrong everywhere is no reason for an answer of megabytes.
  const auto shown = static_cast<std::ptrdiff_t>(std::min(causes_.size(), kMostCauses));
  Error error{Code::kInvalidArgument,
              only_unknown ? Reason("UNKNOWN_FIELD") : "INVALID_FIELD",
              "the document is invalid",
              {causes_.begin(), causes_.begin() + shown}};
  error.faults = causes_.size();
  if (!causes_.empty()) tell_faults(error);
  return error;
}

}  // namespace paddock::wire
