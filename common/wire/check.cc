#include "common/wire/check.h"

namespace paddock::wire {

Error Check::error() const {
  const bool only_unknown = unknown_ == causes_.size();
  std::string message =
      causes_.empty() ? "the document is invalid" : cat(causes_[0].field, ": ", causes_[0].message);
  if (causes_.size() > 1) message += cat(" (and ", causes_.size() - 1, " more)");
  return {Code::kInvalidArgument, only_unknown ? "UNKNOWN_FIELD" : "INVALID_FIELD",
          std::move(message), causes_};
}

}  // namespace paddock::wire
