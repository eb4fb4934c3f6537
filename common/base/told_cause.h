// Tells whether an error's message says a cause already, so that nobody reads it twice.
#pragma once

#include <string_view>

#include "common/base/error.h"

namespace paddock {

// Whether `message` ends with `FIELD: MESSAGE` or `FIELD MESSAGE` of the cause: behind whatever
// else (`runs.yaml: `), and before the count of those that it leaves out (` (and 2 more)`).
bool tells(std::string_view message, const Cause& cause);

}  // namespace paddock
