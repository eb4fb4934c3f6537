// A run that a sandbox refused, as it was told apart from one that it could not set up. Pure.
#pragma once

#include <optional>

#include "common/base/error.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

// What the policy asked for and this node has not: `TOOL_UNAVAILABLE` with its words, which begin
// with the field (`tools[0]`). Nothing for every other end. FailedPrecondition.
std::optional<Error> refusal_of(const SandboxResult& result);
// Whether nothing was started, and for a cause that a host may have got since it said what it can
// do: a step that its kernel refused, or something that it cannot enforce.
bool may_be_the_hosts(const SandboxResult& result);

}  // namespace paddock::contracts
