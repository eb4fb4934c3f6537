// The steps of RunLife that touch the workspace: before the launch and after the result.
#include <algorithm>
#include <array>

#include "common/base/append_new.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/homes.h"
#include "common/os/file.h"
#include "common/test_report/test_report.h"
#include "common/wire/json.h"
#include "node-agent/code/launch.h"
#include "node-agent/executor/command_line.h"
#include "node-agent/executor/disk_probe.h"
#include "node-agent/executor/phase_timing.h"
#include "node-agent/executor/retrying_transport.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
namespace {

using contracts::LaunchMount;
using contracts::MountMode;
using contracts::RunPhase;
using contracts::SandboxStatus;

constexpr Millis kBuilderPoll{200};
// Their environment is the design's, to the letter (ORB-57, ELV-54).
constexpr std::array kExactProfiles = {"compute", "snippet"};
// Rust, Go, Java and Node ask which processors they may use.
constexpr std::array kThreadVariables = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS", "NUMEXPR_MAX_THREADS"};

constexpr Reason kNoRoom = "NAMESPACE_QUOTA_EXCEEDED";

// The run keeps what else it left.
bool costs_the_file_alone(const Error& refused) {
  return refused.reason == "BLOB_TOO_LARGE" || refused.reason == kNoRoom;
}

// Whoever frees room can have the rest by running it again: this is no success.
void tell_of_no_room(contracts::RunOutcome& outcome, const Error& refused) {
  if (refused.reason != kNoRoom || outcome.phase != RunPhase::kSucceeded) return;
  outcome.phase = RunPhase::kFailed;
  outcome.reason = kNoRoom;
  outcome.message =
      cat("the command succeeded, but not all of its artifacts could be stored: ", refused.message);
}

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
  if (is_agent()) request.input_file = input_path();
  if (const std::string& file = assignment_.spec.stdin_file; !file.empty())
    request.stdin_file = os::join_path(std::string(contracts::kSandboxWorkspace), file);
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

Result<runtimes::Environment> RunLife::make_environment() {
  const MonoTime start = ports_.clock.mono();
  PhaseTiming timing(ports_.clock, record_.timings_ms["environment"]);
  if (assignment_.spec.requirements.empty()) {
    say("environment: none asked for");
    return runtimes::Environment{};
  }
  end_leftover(build_files().events);
  ASSIGN_OR_RETURN(const os::Fd root, open_workspace());
  runtimes::EnvironmentRequest request;
  request.workspace = root.get();
  request.requirements = assignment_.spec.requirements;
  request.workspace_id = cat(assignment_.name_space, "/", assignment_.spec.workspace);
  request.policy = assignment_.policy;
  request.trace_id = cat(assignment_.run_uid, "-", assignment_.attempt, "-environment");
  const runtimes::EnvironmentPorts ports = {
      .launch = [this](const contracts::LaunchRequest& launch) { return run_build(launch); },
      .say = [this](const std::string& line) { say(line); },
      .quote = [this](const std::string& text) { quote(text); },
      .wait = [this] { return !stop_.wait(kBuilderPoll, StopKind::kCancel); },
      .now = [this] { return ports_.clock.wall(); }};
  auto made = runtimes::ensure_environment(ports_.config.environments, request, ports);
  // Only a miss has this figure: `environment` alone is the time of a hit.
  if (made && made->lease && !made->cached) {
    record_.timings_ms["environmentBuild"] = (ports_.clock.mono() - start).count();
  }
  return made;
}

LaunchFiles RunLife::build_files() const {
  const std::string folder = folder_.file("build");
  return {os::join_path(folder, "events"), os::join_path(folder, "launcher.log")};
}

// A launch that may be repeated: its record is thrown away, and whoever leaves ends it.
Result<contracts::SandboxResult> RunLife::run_build(const contracts::LaunchRequest& given) {
  contracts::LaunchRequest request = given;
  if (ports_.config.sandbox_uid) request.uid = *ports_.config.sandbox_uid;
  const RunFolder folder(folder_.file("build"));
  TRY(folder.erase());
  TRY(os::make_dirs(folder.path()));
  ASSIGN_OR_RETURN(const auto output, OutputLog::open(folder, ports_.clock));
  const LaunchFiles files = build_files();
  ASSIGN_OR_RETURN(const LauncherProcess process, start(files, request));
  StopSignal build_stop;  // an agent that leaves ends its builds
  const StopSignal::Watch watch(stop_, StopKind::kCancel,
                                [&] { build_stop.raise(StopKind::kCancel); });
  std::optional<os::FileWatch> changes;
  const FollowEnd end = follow_launcher(process, files, build_stop, {}, ports_.clock, changes, [&] {
    if (!output->advance()) build_stop.raise(StopKind::kCancel);
    return output->state().result.has_value();
  });
  reap_launcher(process);
  if (stop_.at_least(StopKind::kCancel)) {
    return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
  }
  if (end != FollowEnd::kResult) {
    if (auto fault = disk_fault(folder.path())) return std::move(*fault);
    return Error{Code::kInternal, "LAUNCHER_LOST",
                 "the sandbox launcher died while it built the run's environment"};
  }
  return *output->state().result;
}

// Of a controller that names no types for compute: the standard ones, and not all.
std::vector<std::string> RunLife::artifact_types() const {
  const bool filtered = assignment_.spec.type == contracts::RunType::kCompute;
  return filtered && assignment_.artifact_types.empty() ? contracts::compute_artifact_types()
                                                        : assignment_.artifact_types;
}

Result<artifacts::CollectRequest> RunLife::collect_request() {
  artifacts::CollectRequest request{assignment_.spec.artifacts.dirs, artifact_types(), {}};
  const bool asks_all = std::ranges::any_of(
      request.dirs, [](const std::string& dir) { return artifacts::normalized_dir(dir) == "."; });
  if (asks_all) {
    ASSIGN_OR_RETURN(request.before, fetch_tree(workspace_source(), StopKind::kDetach));
  }
  return request;
}

Status RunLife::collect_artifacts(contracts::RunOutcome& outcome) {
  const auto& dirs = assignment_.spec.artifacts.dirs;
  const bool ran = !outcome.result || outcome.result->status != SandboxStatus::kInternalError;
  if (dirs.empty() || !ran) return {};
  PhaseTiming timing(ports_.clock, record_.timings_ms["artifacts"]);
  ASSIGN_OR_RETURN(const os::Fd root, open_workspace());
  ASSIGN_OR_RETURN(const artifacts::CollectRequest request, collect_request());
  ASSIGN_OR_RETURN(artifacts::Collected collected,
                   artifacts::collect(root.get(), request, ports_.config.artifacts,
                                      [this] { return leaving(); }));
  const auto controller = transport(StopKind::kDetach);
  const std::set<std::string> there = sent_already(collected.artifacts, *controller);
  std::vector<contracts::Artifact> sent;
  for (contracts::Artifact& artifact : collected.artifacts) {
    if (there.contains(artifact.path)) {
      sent.push_back(std::move(artifact));
      continue;
    }
    ASSIGN_OR_RETURN(const os::Fd file, os::open_regular_beneath(root.get(), artifact.path));
    Status status = controller->upload_artifact(assignment_.run_uid, file.get(), artifact);
    if (status) {
      sent.push_back(std::move(artifact));
    } else if (costs_the_file_alone(status.error())) {
      collected.bytes -= artifact.size;
      collected.left_out.push_back({artifact.path, status.error().message});
      tell_of_no_room(outcome, status.error());
    } else {
      return std::move(status).within(cat("sending ", artifact.path));
    }
  }
  collected.artifacts = std::move(sent);
  say(cat("artifacts: ",
          files_and_bytes(static_cast<int64_t>(collected.artifacts.size()), collected.bytes),
          collected.left_out.empty() ? "" : cat(" (", collected.left_out.size(), " left out)")));
  outcome.artifacts = std::move(collected.artifacts);
  outcome.left_out = std::move(collected.left_out);
  return {};
}

}  // namespace paddock::executor
