#include "controller/media/policy.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/auth/denial_codes.h"

namespace paddock::media {
namespace {

Error denied(Reason reason, std::string message) {
  return {Code::kPermissionDenied, reason, std::move(message)};
}

template <class T>
bool allows(const std::vector<T>& allowed, const T& one) {
  return allowed.empty() || std::ranges::find(allowed, one) != allowed.end();
}

}  // namespace

Status check_policy(const contracts::MediaExecution& policy,
                    const contracts::MediaRequest& request) {
  if (policy.mode != contracts::MediaMode::kEnabled)
    return denied(auth::kMediaExecutionDisabled, "media generation is disabled for this run");
  if (!allows(policy.allowed_surfaces, request.surface)) {
    return denied(auth::kMediaSurfaceDenied,
                  cat("media surface \"", wire::enum_name(request.surface),
                      "\" is not allowed for this run"));
  }
  if (!allows(policy.allowed_models, request.model)) {
    return denied(auth::kMediaModelDenied,
                  cat("media model \"", request.model, "\" is not allowed for this run"));
  }
  return {};
}

}  // namespace paddock::media
