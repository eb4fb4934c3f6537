// Collects everything that admission refuses in one request, so that the caller is told all of it
// at once.
#pragma once

#include <string>
#include <utility>

#include "common/base/error.h"
#include "common/base/text.h"

namespace paddock::admission {

// Collects refusals: the first one's reason names the error, each is a cause.
class Refusals {
 public:
  void add(Reason reason, std::string field, std::string message,
           CauseKind kind = CauseKind::kInvalid) {
    if (error_.reason.empty()) {
      error_.reason = reason;
      error_.message = message;
    }
    error_.causes.push_back({std::move(field), std::move(message), kind});
  }
  bool none() const { return error_.causes.empty(); }
  Error take() && {
    if (error_.causes.size() > 1)
      error_.message += cat(" (and ", error_.causes.size() - 1, " more)");
    return std::move(error_);
  }

 private:
  Error error_{Code::kInvalidArgument, {}, {}};
};

}  // namespace paddock::admission
