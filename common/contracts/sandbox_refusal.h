// A launch that started nothing: why, and whether its policy or its host is to blame. Pure.
#pragma once

#include <optional>

#include "common/base/error.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

// Sets how such a launch ended: status and exit code, the reason for people, and `notStarted` for
// programs. The field is that of the error's first cause.
void tell_not_started(const Error& error, SandboxResult& result);

// What the policy asked for and this node has not, such as TOOL_UNAVAILABLE, with the field of the
// policy as its cause. Nothing for every other end. FailedPrecondition.
std::optional<Error> refusal_of(const SandboxResult& result);
// Whether nothing was started, and for a cause that a host may have got since it said what it can
// do: a step that its kernel refused, or something that it cannot enforce.
bool may_be_the_hosts(const SandboxResult& result);

}  // namespace paddock::contracts
