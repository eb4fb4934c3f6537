// Rewrites errors about the API's fields as errors about a tool's arguments: an agent knows no
// others.
#pragma once

#include "common/mcp/arguments.h"

namespace paddock::mcp {

// With the causes' fields as arguments of these, each fault once: one argument can be several
// fields. Fields that were made of none stay as they are.
Error as_arguments(Error error, const Arguments& given);

}  // namespace paddock::mcp
