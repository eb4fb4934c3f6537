// The step of RunLife that makes the request of a launch: what the command is given, and what it
// holds of the node.
#include <algorithm>
#include <array>

#include "common/base/append_new.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/homes.h"
#include "common/contracts/profile.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "common/test_report/test_report.h"
#include "node-agent/code/launch.h"
#include "node-agent/executor/command_line.h"
#include "node-agent/executor/retrying_transport.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
namespace {

using contracts::LaunchMount;
using contracts::MountMode;
using contracts::RunPhase;

// A run of theirs gets these variables and no others.
constexpr std::array kExactProfiles = {"compute", "snippet"};
// Rust, Go, Java and Node ask which processors they may use.
constexpr std::array kThreadVariables = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS", "NUMEXPR_MAX_THREADS"};

std::optional<contracts::ToolGateway> gateway_of(RunCredential credential, std::string run_uid) {
  auto place = contracts::place_of_url(credential.controller_url);
  if (!place) return std::nullopt;
  return contracts::ToolGateway{std::move(place->host), place->port,
                                std::move(credential.addresses), std::move(run_uid),
                                std::move(credential.ca_pem)};
}

}  // namespace

std::unique_ptr<RunTransport> RunLife::transport(StopKind give_up) {
  return std::make_unique<RetryingTransport>(ports_.transport(), stop_, give_up, ports_.random);
}

Result<contracts::LaunchRequest> RunLife::prepare() {
  if (stop_.at_least(StopKind::kCancel)) return Error{};
  const contracts::NodeBounds& bounds = ports_.config.bounds;
  TRY(contracts::check_node_bounds(assignment_.policy, bounds));
  const auto& grace = assignment_.spec.termination_grace;
  if (bounds.ceilings) TRY(contracts::check_grace(grace, *bounds.ceilings));
  phase_ = RunPhase::kPreparing;
  publish();
  ASSIGN_OR_RETURN(runtimes::Environment environment, fetch_project());
  publish();

  contracts::LaunchRequest request;
  request.trace_id = cat(assignment_.run_uid, "-", assignment_.attempt);
  request.command = command_line(assignment_.spec, assignment_.policy);
  request.policy = assignment_.policy;
  ASSIGN_OR_RETURN(request.env, command_environment(environment));
  TRY(add_secrets(request));
  TRY(add_tool_token(request));
  TRY(add_tool_bundle(request));
  request.scratch_folders = contracts::own_folders(request.env);
  if (is_code()) {
    add_code(request);
  } else {
    add_project(request, std::move(environment));
  }
  if (is_judged()) {
    TRY(test_report::prepare(tests_folder(), ports_.config.sandbox_uid, ports_.random));
    TRY(test_report::add_judge(tests_folder(), request));
  }
  if (ports_.config.sandbox_uid) request.uid = *ports_.config.sandbox_uid;
  request.network = ports_.config.network;
  add_processors(request);
  if (grace) request.cancel_grace_ms = request.limit_grace_ms = grace->value.count();
  if (is_agent()) request.input_file = input_.path();
  if (const std::string& file = assignment_.spec.stdin_file; !file.empty())
    request.stdin_file = os::join_path(std::string(contracts::kSandboxWorkspace), file);
  if (os::kPacketSockets) request.exec_socket = exec_socket();
  TRY(add_accelerators(request));
  return request;
}

// Code belongs to no project.
Result<runtimes::Environment> RunLife::fetch_project() {
  if (is_code()) return runtimes::Environment{};
  TRY(fetch_workspace());
  TRY(fetch_volumes());
  return make_environment();
}

// The workspace, its environment, and the volumes that the run reads.
void RunLife::add_project(contracts::LaunchRequest& request, runtimes::Environment environment) {
  request.workdir = std::string(contracts::kSandboxWorkspace);
  request.mounts.push_back(workspace_mount());
  for (LaunchMount& each : volume_mounts()) request.mounts.push_back(std::move(each));
  if (!environment.lease) return;
  request.mounts.push_back(LaunchMount{environment.path, environment.inside, MountMode::kReadOnly});
  record_.environment = environment.lease->name();
  environment_lease_.emplace(std::move(*environment.lease));
}

// Nothing of a workspace: scratch space alone, and the operator's Python.
void RunLife::add_code(contracts::LaunchRequest& request) const {
  request.workdir = std::string(code::kFolder);
  request.scratch_files.merge(code::files(assignment_.spec));
  const std::string& libraries = ports_.config.library_dir;
  if (!libraries.empty())
    request.mounts.push_back(LaunchMount{libraries, libraries, MountMode::kReadOnly});
}

// As many as were allotted, and what libraries with threads are told of it: some count the host's.
void RunLife::add_processors(contracts::LaunchRequest& request) {
  const auto& resources = assignment_.spec.resources;
  if (!resources || !resources->cpu) return;
  request.cpus = resources->cpu;
  if (ports_.processors != nullptr) {
    processors_.emplace(ports_.processors->take(*resources->cpu));
    request.processors = record_.processors = processors_->processors();
  }
  if (std::ranges::count(kExactProfiles, assignment_.spec.profile) > 0) return;
  for (const char* name : kThreadVariables) request.env.try_emplace(name, cat(*resources->cpu));
}

// The last step: nobody else waits for them while an environment is built.
Status RunLife::add_accelerators(contracts::LaunchRequest& request) {
  const auto& resources = assignment_.spec.resources;
  if (!resources || !resources->accelerators) return {};
  if (ports_.accelerators == nullptr)
    return Error{Code::kUnavailable, "ACCELERATOR_UNAVAILABLE", "this node has no accelerators"};
  ASSIGN_OR_RETURN(devices::Ledger::Hold hold, ports_.accelerators->take(*resources->accelerators));
  note_accelerators(std::move(hold));
  record_.accelerators = accelerators_->ids();
  record_.held = {ports_.clock.mono().ms, this_boot()};
  say(cat("accelerators: ", join(record_.accelerators, ", ")));
  devices::Access access = devices::access_to(accelerators_->granted());
  append_new(request.policy.devices, access.nodes);
  std::ranges::move(access.mounts, std::back_inserter(request.mounts));
  request.env.merge(access.env);
  return {};
}

// A controller of before profiles had environments sends none: then compute's.
Result<std::map<std::string, std::string>> RunLife::command_environment(
    const runtimes::Environment& environment) const {
  const auto& given = assignment_.environment;
  return contracts::command_environment(
      given.empty() ? contracts::minimal_environment(false) : given, assignment_.policy,
      environment.python, contracts::replaces_variables(assignment_.spec.type));
}

// Asked for at the last moment and never kept by the agent: what was launched has them already.
Status RunLife::add_secrets(contracts::LaunchRequest& request) {
  if (assignment_.spec.secrets.empty()) return {};
  const auto controller = transport(StopKind::kCancel);
  ASSIGN_OR_RETURN(const contracts::RunSecretsAnswer answer,
                   controller->secrets(assignment_.run_uid, assignment_.attempt));
  for (const contracts::RunSecret& each : answer.secrets) {
    contracts::LaunchSecret secret{each.value, {}};
    if (!each.file.empty())
      secret.file = os::join_path(std::string(contracts::kSandboxSecrets), each.file);
    if (!each.variable.empty()) request.env[each.variable] = decode_base64(each.value).value_or("");
    request.secrets.push_back(std::move(secret));
  }
  say(cat("secrets: ", answer.secrets.size(), answer.secrets.size() == 1 ? " value" : " values"));
  return {};
}

// Only in the environment of a run that asked for one, and never kept by the agent; with the way to
// the controller that it is good for.
Status RunLife::add_tool_token(contracts::LaunchRequest& request) {
  if (!assignment_.spec.tool_token) return {};
  const auto controller = transport(StopKind::kCancel);
  ASSIGN_OR_RETURN(RunCredential credential,
                   controller->tool_token(assignment_.run_uid, assignment_.attempt));
  request.env[std::string(contracts::kToolTokenVariable)] = credential.token;
  request.env[std::string(contracts::kControllerUrlVariable)] = credential.controller_url;
  request.env[std::string(contracts::kProjectVariable)] = assignment_.spec.workspace;
  request.env[std::string(contracts::kRunUrlVariable)] = cat(
      credential.controller_url, contracts::paths::run(assignment_.name_space, assignment_.name));
  request.tool_gateway = gateway_of(std::move(credential), assignment_.run_uid);
  if (request.tool_gateway && !request.tool_gateway->ca.empty())
    request.env[std::string(contracts::kCaFileVariable)] = contracts::kSandboxCaFile;
  return {};
}

// The run's own configuration, in its scratch space: not in its workspace, and gone with it.
Status RunLife::add_tool_bundle(contracts::LaunchRequest& request) {
  if (!assignment_.tool_bundle) return {};
  ASSIGN_OR_RETURN(const contracts::ToolBundle bundle,
                   transport(StopKind::kCancel)->tool_bundle(assignment_.run_uid));
  request.env[std::string(contracts::kMcpConfigVariable)] = contracts::kMcpConfigFile;
  request.scratch_files[std::string(contracts::kMcpConfigFile)] = mcp_config_text(bundle);
  return {};
}

}  // namespace paddock::executor
