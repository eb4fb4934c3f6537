// What a sandbox's result is to the clients of POST /execute. Pure.
#pragma once

#include "common/contracts/execute.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::snippets {

contracts::ExecuteAnswer answer_of(contracts::SandboxResult result);

}  // namespace paddock::snippets
