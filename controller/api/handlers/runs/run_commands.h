// Commands in the sandbox of a run that runs: `paddock exec`. Each is recorded in the audit log
// before it begins, and so is its end.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// A RunCommandRequest: its RunResult, or its output while it comes with `?stream=true`.
// RUN_NOT_RUNNING, RUN_EXEC_UNSUPPORTED, TOO_MANY_COMMANDS, COMMAND_EXISTS. Of a run with Secrets
// whoever asks needs `secrets:use`, as if he had made the run.
Result<Response> run_command_in_run(Call& call);
Result<Response> cancel_command_in_run(Call& call);

}  // namespace paddock::api
