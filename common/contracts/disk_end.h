// The word for what ended because the disk of its node came to its end: a run, or a session.
#pragma once

namespace paddock::contracts {

inline constexpr const char* kDiskRequestExceeded = "DISK_REQUEST_EXCEEDED";

}  // namespace paddock::contracts
