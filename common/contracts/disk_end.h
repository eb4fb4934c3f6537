// The word for what ended because the disk of its node came to its end: a run, or a session.
#pragma once

#include "common/base/reason.h"

namespace paddock::contracts {

inline constexpr Reason kDiskRequestExceeded = "DISK_REQUEST_EXCEEDED";

}  // namespace paddock::contracts
