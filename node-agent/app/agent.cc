#include "node-agent/app/agent.h"

#include <cstdlib>
#include <optional>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/etc_names.h"
#include "common/os/file.h"
#include "common/os/spread.h"
#include "common/os/stop_deadline.h"
#include "node-agent/app/launchers.h"
#include "node-agent/app/lent_host.h"
#include "node-agent/app/prover_port.h"
#include "node-agent/app/room_settings.h"
#include "node-agent/app/upkeep.h"
#include "node-agent/base/regularly.h"
#include "node-agent/base/when_readable.h"
#include "node-agent/host/data_folder.h"
#include "node-agent/host/kept_proof.h"
#include "node-agent/host/node_status.h"
#include "node-agent/runtimes/environment_store.h"
#include "node-agent/uplink/controller_ports.h"
#include "node-agent/uplink/conversation.h"

namespace paddock::agent {
namespace {

constexpr Millis kDepartEvery{1'000};
// For an orderly stop: longer than the grace of a command, and shorter than its unit and
// `paddock down` wait.
constexpr Millis kStop{14'000};

// Every launcher that this agent starts hears it from its environment.
void tell_launchers(const AgentConfig& config) {
  ::setenv(contracts::kEtcVariable, join(config.etc_files, ",").c_str(), 1);
}

// What an earlier agent left half-built goes.
Status prepare_folders(const AgentConfig& config, const executor::ExecutorConfig& executor) {
  TRY(os::make_dirs(executor.runs_dir));
  for (const std::string& each : launcher_folders(config)) TRY(os::make_dirs(each));
  os::spread_folders(executor.runs_dir);
  runtimes::sweep_environments(executor.environments.dir);
  return {};
}

Result<contracts::NodeStatus> first_status(const AgentConfig& config, const devices::Host& host,
                                           const contracts::NodeBounds& bounds, WallTime now,
                                           int stop) {
  ASSIGN_OR_RETURN(contracts::NodeStatus status,
                   node_status(host_settings_of(config), host, now, stop));
  status.agent_version = kAgentVersion;
  status.ceilings = config.ceilings;
  status.ends_at = config.ends_at;
  status.max_sessions = config.sessions.max_sessions;
  status.largest_limits = bounds.largest;
  return status;
}

// Whether the host can do something that it could not before: what serves has found it as it was.
bool tell_proof(const contracts::SandboxProof& proof, const std::optional<Error>& fault,
                HostStatus& host, WallTime now) {
  bool gained = false;
  host.change([&](contracts::NodeStatus& status) {
    gained = take_over(proof, status);
    if (fault && contracts::unfit(status) == nullptr) take_over_fault(fault, status, now);
  });
  return gained;
}

// What was left of the agent before, then its own work.
Status begin_work(const AgentConfig& config, const std::string& nonce, RunHost& runs,
                  workspace::CacheKeeper& cache, CallHost& calls, const Clock& clock) {
  TRY(runs.recover());
  cache.clean_up(clock);
  TRY(write_agent_file(identity_of(config), nonce));
  calls.start();
  log_info("agent started", {{"node", config.name}, {"server", config.server}});
  return {};
}

bool leave_if_due(LentHost& lent_host, const RunHost& runs, CallHost& calls, sync::SyncLoop& loop,
                  const Clock& clock) {
  const bool busy = !runs.is_idle() || calls.sessions().count() > 0;
  const auto why = lent_host.reason_to_leave(busy, clock.wall(), clock.mono());
  if (!why) return false;
  log_info("the agent stops by itself", {{"why", *why}});
  loop.stop();
  return true;
}

}  // namespace

Status run_agent(const AgentConfig& config, const Clock& clock, Random& random, int stop_fd) {
  os::StopDeadline deadline(kStop);
  const WhenReadable asked(stop_fd, [&] { deadline.begin(); });
  tell_launchers(config);
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_data_folder(config.data_dir));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint, endpoint_of(config));
  const contracts::NodeBounds bounds = bounds_of(config);
  const HostSettings host_settings = host_settings_of(config);
  const executor::ExecutorConfig executor = executor_config(config, bounds);
  ASSIGN_OR_RETURN(snippets::Setting snippet_setting, snippet_setting_of(config, bounds));
  TRY(prepare_folders(config, executor));
  ASSIGN_OR_RETURN(
      const auto cache,
      workspace::CacheKeeper::open(config.data_dir, executor.sandbox_uid, config.cache_quota));
  HostLook look(host_settings);
  const devices::Host first_look = look.look();
  const bool proof_is_older = kept_proof(config.data_dir, config.sandbox_program).has_value();
  auto found = first_status(config, first_look, bounds, clock.wall(), stop_fd);
  if (!found && found.error().reason == "INTERRUPTED") return {};
  ASSIGN_OR_RETURN(contracts::NodeStatus status, std::move(found));
  devices::Ledger accelerators;
  accelerators.know(first_look.accelerators);

  Credentials credentials(endpoint, config.data_dir);
  Conversation conversation(identity_of(config), credentials, random);
  TRY(conversation.take_credential());

  // Point to parts that are made further down, and are used only once all are there.
  const RunHost* hosting = nullptr;
  sync::SyncLoop* talking = nullptr;
  HostStatus* telling = nullptr;
  executor::HostSandbox* doubting = nullptr;

  const std::string nonce = make_uuid(random);
  ASSIGN_OR_RETURN(const int64_t generation, take_generation(config.data_dir, clock.wall()));
  Launchers launchers(config, clock);
  CallHost calls(
      {std::move(snippet_setting), session_setting_of(config, bounds)}, config.name,
      launchers.snippets, launchers.sessions, {nonce, generation},
      [&] { return credentials.endpoint(); },
      {[&](const std::string& run) { return hosting->open_workspace(run); },
       [&](const std::string& run) { return hosting->open_to_write(run); },
       [&](const std::string& run) { return hosting->exec_socket(run); }},
      [&] { doubting->doubt(); }, clock);
  TRY(calls.recover());
  devices::DiskLedger disk(config.data_dir, config.min_free.bytes, [&] {
    const DiskUse use = hosting->disk_use();
    const auto room = devices::disk_room(config.data_dir);
    telling->change_and_tell([&](contracts::NodeStatus& now) {
      take_over(room, use, host_settings.min_free, now, clock.wall());
    });
  });
  SandboxProver prover(
      [&](int stop) { return prove(host_settings, stop); }, proof_of(status),
      [&](const contracts::SandboxProof& proof, const std::optional<Error>& fault) {
        if (!tell_proof(proof, fault, *telling, clock.wall())) return;
        launchers.replace();
        calls.discard_warm();
      },
      clock);
  ProverPort sandbox(prover);
  doubting = &sandbox;
  RunHost runs(
      executor, *cache, accelerators, disk,
      [&] { return std::make_unique<ClientTransport>(credentials.endpoint(), config.name); }, clock,
      random, first_look.capacity.max_runs, &launchers.runs, sandbox,
      [&](const contracts::RunReport& report, int64_t seq) { talking->observe(report, seq); });
  hosting = &runs;
  sync::CallLimits limits;
  if (http::has_several(endpoint)) limits.servers = Servers::kSeveral;
  sync::SyncLoop loop(sync::SyncCore(nonce, generation, config.labels, limits), runs, clock, random,
                      [&](const sync::Action& action) {
                        if (const auto* keep = std::get_if<sync::KeepSessions>(&action))
                          return calls.sessions().keep(keep->uids);
                        runs.act(action);
                      });
  talking = &loop;
  HostStatus host(std::move(status),
                  [&](const contracts::NodeStatus& now) { loop.set_status(now); });
  telling = &host;
  UsageReport usage(first_look, runs, loop, clock);

  // Which runs a thread that hangs has begun is not known: none of them is taken on elsewhere now.
  const os::StopDeadline::LastWords farewell(deadline,
                                             [&] { conversation.take_leave(loop, std::nullopt); });
  host.publish();
  TRY(begin_work(config, nonce, runs, *cache, calls, clock));
  Status ended;
  {
    const WhenReadable stopper(stop_fd, [&] { loop.stop(); });
    LentHost lent_host(config, clock.mono());
    std::optional<Regularly> departing;
    if (config.ends_at || config.idle_exit)
      departing.emplace(Regularly::First::kAtOnce, kDepartEvery, [&] {
        if (leave_if_due(lent_host, runs, calls, loop, clock)) deadline.begin();
      });
    const Upkeep upkeep({config, clock, look, host, accelerators, disk, *cache, launchers, runs,
                         calls, usage, credentials, prover, proof_is_older});
    ended = conversation.run(loop);
  }
  calls.stop();
  const std::set<sync::RunKey> begun = runs.stop();
  if (ended.ok()) conversation.take_leave(loop, begun);
  if (ended.ok() && config.ends_at) conversation.leave_for_good();
  log_info("agent stopped", {{"node", config.name}});
  return ended;
}

}  // namespace paddock::agent
