// Commands in the sandbox of a run that runs: `paddock exec`. Each is recorded in the audit log
// before it begins, and so is its end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/contracts/audit.h"
#include "common/contracts/run.h"
#include "common/contracts/run_exec.h"
#include "common/contracts/sandbox.h"
#include "controller/api/server/bearer.h"
#include "controller/api/server/call.h"
#include "controller/api/server/command_stream.h"

namespace paddock::api {

// A RunCommandRequest: its RunResult, or its output while it comes with `?stream=true`.
// RUN_NOT_RUNNING, RUN_EXEC_UNSUPPORTED, TOO_MANY_COMMANDS, COMMAND_EXISTS. If the run has Secrets,
// the caller needs `secrets:use`, as for making such a run.
Result<Response> run_command_in_run(Call& call);
Result<Response> cancel_command_in_run(Call& call);

// One command, separate from the request that asked for it, since its result is recorded after the
// handler has returned.
struct RunCommand {
  Services& services;
  contracts::Run run;
  contracts::RunCommandRequest request;
  contracts::AuditEvent event;  // who, where, which
  std::string caller;
  std::string name_space;  // of the caller's token, if it is good for one alone
  Bearer bearer;
  bool stream = false;  // its output is handed on while it runs
};
// A command of the caller's, if he may have one in this run, which runs. It has an id then.
Result<std::shared_ptr<RunCommand>> command_in_run(Call& call, contracts::Run run,
                                                   contracts::RunCommandRequest request,
                                                   bool stream);
// To its end, on this thread. `on_piece` may take its time: the command waits for it, where it has
// a terminal or input that comes.
Result<contracts::RunResult> carry_out(RunCommand& command, const DisconnectToken& client,
                                       const OnPiece& on_piece, const OnStart& on_start);

// By which a command's call, and its audit events, are found.
std::string name_of_command(const contracts::Run& run, std::string_view id);

}  // namespace paddock::api
