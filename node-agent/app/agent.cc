#include "node-agent/app/agent.h"

#include <cstdlib>
#include <optional>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/etc_names.h"
#include "common/os/file.h"
#include "common/os/spread.h"
#include "common/os/stop_deadline.h"
#include "node-agent/app/lent_host.h"
#include "node-agent/app/room_settings.h"
#include "node-agent/app/upkeep.h"
#include "node-agent/app/working_parts.h"
#include "node-agent/base/regularly.h"
#include "node-agent/base/when_readable.h"
#include "node-agent/host/data_folder.h"
#include "node-agent/host/kept_proof.h"
#include "node-agent/host/node_status.h"
#include "node-agent/runtimes/environment_store.h"
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

// What was left of the agent before, then its own work.
Status begin_work(const AgentConfig& config, const std::string& nonce, WorkingParts& parts,
                  workspace::CacheKeeper& cache, const Clock& clock) {
  TRY(parts.runs.recover());
  cache.clean_up(clock);
  TRY(write_agent_file(identity_of(config), nonce));
  parts.calls.start();
  log_info("agent started", {{"node", config.name}, {"server", config.server}});
  return {};
}

bool leave_if_due(LentHost& lent_host, WorkingParts& parts, const Clock& clock) {
  const bool busy = !parts.runs.is_idle() || parts.calls.sessions().count() > 0;
  const auto why = lent_host.reason_to_leave(busy, clock.wall(), clock.mono());
  if (!why) return false;
  log_info("the agent stops by itself", {{"why", *why}});
  parts.loop.stop();
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
  ASSIGN_OR_RETURN(const snippets::Setting snippet_setting, snippet_setting_of(config, bounds));
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
  devices::AcceleratorLedger accelerators;
  accelerators.know(first_look.accelerators);

  Credentials credentials(endpoint, config.data_dir);
  Conversation conversation(identity_of(config), credentials, random);
  TRY(conversation.take_credential());

  const std::string nonce = make_uuid(random);
  ASSIGN_OR_RETURN(const int64_t generation, take_generation(config.data_dir, clock.wall()));
  const AgentProcess self{nonce, generation};
  WorkingParts parts({config, clock, random, bounds, host_settings, executor, snippet_setting,
                      *cache, first_look, accelerators, credentials, self},
                     std::move(status));
  TRY(parts.calls.recover());

  // Which runs a thread that hangs has begun is not known: none of them is taken on elsewhere now.
  const os::StopDeadline::LastWords farewell(
      deadline, [&] { conversation.take_leave(parts.loop, std::nullopt); });
  parts.host.publish();
  TRY(begin_work(config, nonce, parts, *cache, clock));
  Status ended;
  {
    const WhenReadable stopper(stop_fd, [&] { parts.loop.stop(); });
    LentHost lent_host(config, clock.mono());
    std::optional<Regularly> departing;
    if (config.ends_at || config.idle_exit)
      departing.emplace(Regularly::First::kAtOnce, kDepartEvery, [&] {
        if (leave_if_due(lent_host, parts, clock)) deadline.begin();
      });
    const Upkeep upkeep({config, clock, look, parts.host, accelerators, parts.disk, *cache,
                         parts.launchers, parts.runs, parts.calls, parts.usage, credentials,
                         parts.prover, proof_is_older});
    ended = conversation.run(parts.loop);
  }
  parts.calls.stop();
  const std::set<sync::RunKey> begun = parts.runs.stop();
  if (ended.ok()) conversation.take_leave(parts.loop, begun);
  if (ended.ok() && config.ends_at) conversation.leave_for_good();
  log_info("agent stopped", {{"node", config.name}});
  return ended;
}

}  // namespace paddock::agent
