// What the host of this controller refuses it, in words for callers.
#pragma once

#include "common/base/result.h"

namespace paddock::api {

// What the kernel says of our own files is no answer about what was asked for: neither that it is
// forbidden, nor that it does not exist, nor that the request was wrong. Such an error is logged
// and becomes Unavailable (STORE_IO), a full disk's ResourceExhausted (DISK_FULL): the client is
// told to come again, and nothing of our folders. Any other error stays as it is, also one that a
// node met.
Error as_passing(Error error);

}  // namespace paddock::api
