#include "common/wire/check.h"

#include <algorithm>

namespace paddock::wire {
namespace {

constexpr size_t kMostCauses = 100;

// What is wrong with the document as a whole has no field.
std::string as_text(const Cause& cause) {
  return cause.field.empty() ? cause.message : cat(cause.field, ": ", cause.message);
}

}  // namespace

Error Check::error() const {
  const bool only_unknown = unknown_ == causes_.size();
  std::string message = causes_.empty() ? "the document is invalid" : as_text(causes_[0]);
  // A document that is wrong everywhere is no reason for an answer of megabytes.
  const auto shown = static_cast<std::ptrdiff_t>(std::min(causes_.size(), kMostCauses));
  if (causes_.size() > 1) message += cat(" (and ", causes_.size() - 1, " more)");
  return {Code::kInvalidArgument,
          only_unknown ? Reason("UNKNOWN_FIELD") : "INVALID_FIELD",
          std::move(message),
          {causes_.begin(), causes_.begin() + shown}};
}

}  // namespace paddock::wire
