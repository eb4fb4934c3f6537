// Checks a request for media against the run's media policy. Pure.
#pragma once

#include "common/base/result.h"
#include "common/contracts/media.h"

namespace paddock::media {

// PermissionDenied: MEDIA_EXECUTION_DISABLED, MEDIA_SURFACE_DENIED, MEDIA_MODEL_DENIED.
Status check_policy(const contracts::MediaExecution& policy,
                    const contracts::MediaRequest& request);

}  // namespace paddock::media
