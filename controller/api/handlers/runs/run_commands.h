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
// Makes a command with an id, if the run is running and the caller may have one more command in it.
Result<std::shared_ptr<RunCommand>> command_in_run(Call& call, contracts::Run run,
                                                   contracts::RunCommandRequest request,
                                                   bool stream);
// Runs the command to its end, on this thread. `on_piece` may take its time: where the command has
// a terminal or live input, it waits for it.
Result<contracts::RunResult> carry_out(RunCommand& command, const DisconnectToken& client,
                                       const OnPiece& on_piece, const OnStart& on_start);

// The name by which a command's call and its audit events are found.
std::string name_of_command(const contracts::Run& run, std::string_view id);

}  // namespace paddock::api
