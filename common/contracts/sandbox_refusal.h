// A run that a sandbox refused, as it was told apart from one that it could not set up. Pure.
#pragma once

#include <optional>

#include "common/base/error.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

// What the policy asked for and this node has not: `TOOL_UNAVAILABLE` with its words, which begin
// with the field (`tools[0]`). Nothing for every other end. FailedPrecondition.
std::optional<Error> refusal_of(const SandboxResult& result);

}  // namespace paddock::contracts
