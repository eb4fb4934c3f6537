// Leaves out fields that a controller of the release before does not know: it refuses them by name,
// and is then sent the rest. Pure.
#pragma once

#include <set>
#include <string>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::client {

// Paths within a body; `[]` is any element of a list: `runs[].outcome.leftOut`.
using FieldPaths = std::set<std::string>;

// Those that an answer names as unknown; none of any other error.
FieldPaths unknown_fields(const Error& error);
void leave_out(wire::Value& body, const FieldPaths& paths);

}  // namespace paddock::client
