// Rewrites errors of the controller's own host for callers.
#pragma once

#include "common/base/result.h"

namespace paddock::api {

// A kernel error about our own files says nothing about the request: not that it is forbidden, nor
// that its object does not exist, nor that it is wrong. Such an error is logged and becomes
// Unavailable (STORE_IO), that of a full disk ResourceExhausted (DISK_FULL): the client is told to
// try again, and learns nothing of our folders. Any other error stays as it is, also one from a
// node.
Error as_passing(Error error);

}  // namespace paddock::api
