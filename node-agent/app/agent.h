// The agent put together: who it is, what the host has, its runs, and the conversation.
#pragma once

#include "common/base/random.h"
#include "common/base/time.h"
#include "node-agent/app/config.h"

namespace paddock::agent {

inline constexpr const char* kAgentVersion = "0.1.0";

// Runs until a byte arrives on `stop_fd` (then running sandboxes go on without us) or until the
// controller ends the session. Errors: DATA_DIR_IN_USE, SANDBOX_UNAVAILABLE, ENROLL_TOKEN_MISSING,
// SESSION_SUPERSEDED, what enrolment said.
Status run_agent(const AgentConfig& config, const Clock& clock, Random& random, int stop_fd);

}  // namespace paddock::agent
