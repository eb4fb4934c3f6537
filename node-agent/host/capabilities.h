// The capabilities that this host's sandbox has proven: `paddock-sandbox probe`, run at the agent's
// start and again when that program is another one.
#pragma once

#include <map>
#include <string>

#include "common/contracts/canary.h"

namespace paddock::agent {

// Takes a second or so. From the agent's own environment, the program gets only what says that this
// is a pod. Once `stop` can be read (-1: never) the program is ended with its sandboxes:
// INTERRUPTED. SANDBOX_UNAVAILABLE if the program cannot be run or says nothing that can be read.
Result<contracts::SandboxProof> prove_sandbox(const std::string& sandbox_program,
                                              const std::map<std::string, std::string>& own,
                                              int stop);
// The proof of a node whose launcher could prove nothing: such a node takes no run.
contracts::SandboxProof unproven(const Error& why);

}  // namespace paddock::agent
