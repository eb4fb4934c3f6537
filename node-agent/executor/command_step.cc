#include "node-agent/executor/command_step.h"

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "node-agent/executor/command_line.h"

namespace paddock::executor {

// A controller of before profiles had environments sends none: then compute's.
Status CommandStep::prepare() {
  const contracts::Assignment& run = run_.assignment;
  ASSIGN_OR_RETURN(
      variables_,
      contracts::command_environment(
          run.environment.empty() ? contracts::minimal_environment(false) : run.environment,
          run.policy, environment_.has_python(), contracts::replaces_variables(run.spec.type)));
  return {};
}

Status CommandStep::add(contracts::LaunchRequest& request) {
  const contracts::Assignment& run = run_.assignment;
  const ExecutorConfig& node = run_.ports.config;
  request.trace_id = cat(run.run_uid, "-", run.attempt);
  request.command = command_line(run.spec, run.policy);
  request.policy = run.policy;
  request.env = std::move(variables_);
  if (node.sandbox_uid) request.uid = *node.sandbox_uid;
  request.network = node.network;
  if (const auto& grace = run.spec.termination_grace)
    request.cancel_grace_ms = request.limit_grace_ms = grace->value.count();
  add_streams(request);
  return {};
}

void CommandStep::add_streams(contracts::LaunchRequest& request) const {
  const contracts::RunSpec& spec = run_.assignment.spec;
  if (spec.type == contracts::RunType::kAgent) request.input_file = run_.folder.input();
  if (!spec.stdin_file.empty())
    request.stdin_file = os::join_path(std::string(contracts::kSandboxWorkspace), spec.stdin_file);
  if (os::kPacketSockets) request.exec_socket = run_.folder.exec_socket();
}

}  // namespace paddock::executor
