// The meanings of the program's exit code. A finished run's own code is passed through; ours are
// the rest.
#pragma once

#include "common/contracts/run.h"

namespace paddock::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitConnectionLost = 75;  // the run goes on without us (sysexits EX_TEMPFAIL)
inline constexpr int kExitTimeout = 124;
inline constexpr int kExitNotStarted = 125;
inline constexpr int kExitDenied = 126;
inline constexpr int kExitNotFound = 127;
inline constexpr int kExitInterrupted = 130;  // 128 + SIGINT

// `starting`: the verb was to start something, so a failure without a code of its own means that
// nothing was started.
int exit_code_of(const Error& error, bool starting = false);
// For a run in a terminal phase.
int exit_code_of(const contracts::Run& run);
// For a command that ran in a sandbox on this host.
int exit_code_of(const contracts::SandboxResult& result);

}  // namespace paddock::cli
