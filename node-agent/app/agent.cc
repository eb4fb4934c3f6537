#include "node-agent/app/agent.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <thread>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/client/node_identity.h"
#include "common/contracts/etc_names.h"
#include "common/contracts/node.h"
#include "common/os/environment.h"
#include "common/os/event.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/os/lock_holder.h"
#include "common/os/process.h"
#include "common/os/spread.h"
#include "common/os/start_reserve.h"
#include "node-agent/app/room_settings.h"
#include "node-agent/base/regularly.h"
#include "node-agent/calls/call_host.h"
#include "node-agent/host/capabilities.h"
#include "node-agent/host/host_look.h"
#include "node-agent/host/host_status.h"
#include "node-agent/host/launcher_watch.h"
#include "node-agent/host/node_status.h"
#include "node-agent/runs/run_host.h"
#include "node-agent/runtimes/environment.h"
#include "node-agent/uplink/controller_ports.h"
#include "node-agent/uplink/credentials.h"
#include "node-agent/uplink/identity.h"
#include "node-agent/workspace/cache_keeper.h"

namespace paddock::agent {
namespace {

constexpr Millis kEnvironmentUnused = std::chrono::hours(24 * 14);
constexpr Millis kTidyEvery = std::chrono::hours(1);
constexpr Millis kLookEvery{30'000};  // at the host's memory and devices
constexpr Millis kFarewell{3'000};
constexpr Millis kMeasureEvery{5'000};  // a hundred runs take some 5 ms of a core
constexpr Millis kDiskEvery{5'000};     // which fills up faster, and is asked at no cost

// Of the launcher for sessions: most have the default tools, and all learn of what was refused.
std::vector<std::string> session_launcher_options() {
  const auto tools = contracts::session_programs(contracts::default_session_tools());
  return {"--judge", "exec", "--tools", join(tools, ",")};
}

void prune_environments(const std::string& dir, WallTime now) {
  const auto removed = runtimes::prune_environments(dir, now, kEnvironmentUnused);
  if (!removed) {
    log_warn("environments could not be pruned", {{"error", removed.error().describe()}});
  } else if (*removed > 0) {
    log_info("environments pruned", {{"count", std::to_string(*removed)}});
  }
}

// On a full disk it takes no runs, prunes its cache, and says what else makes room.
void make_room(const AgentConfig& config) {
  const std::string full = os::full_disk_text(os::make_room_to_start(config.data_dir));
  if (full.empty()) return;
  log_error(full, {{"reason", contracts::kNodeDiskFull},
                   {"free_some", "free space on that disk, or lower cacheQuota and start again"}});
}

Result<os::LockFile> lock_data_dir(const AgentConfig& config) {
  TRY(os::make_dirs(config.data_dir));
  make_room(config);
  const std::string path = os::join_path(config.data_dir, "agent.lock");
  auto lock = os::LockFile::acquire(path);
  if (!lock && lock.error().reason == "LOCK_HELD") {
    return Error{Code::kFailedPrecondition, "DATA_DIR_IN_USE",
                 cat("another agent", os::lock_holder(path),
                     " uses this data folder; give this one a dataDir of its own")};
  }
  return lock;
}

// Calls `then` once something can be read from `fd`, from a thread of its own, until destroyed.
class WhenReadable {
 public:
  WhenReadable(int fd, std::function<void()> then)
      : thread_([this, fd, then = std::move(then)] {
          std::array<pollfd, 2> fds = {pollfd{fd, POLLIN, 0}, pollfd{end_.fd(), POLLIN, 0}};
          while (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
          }
          if (fds[0].revents != 0) then();
        }) {}
  ~WhenReadable() {
    end_.raise();
    thread_.join();
  }
  WhenReadable(const WhenReadable&) = delete;
  WhenReadable& operator=(const WhenReadable&) = delete;

 private:
  os::Event end_;
  std::thread thread_;
};

// Talks until told to stop. When the controller does not know our credential any more, takes a
// newer one from the disk, or the one before it; else enrols again, once.
Status converse(const AgentConfig& config, sync::SyncLoop& loop, Credentials& credentials,
                ClockWatch& clocks, Random& random) {
  for (bool enrolled = false, swapped = false;;) {
    const std::string used = credentials.token();
    ClientSyncPort report(credentials.endpoint(), config.name, clocks);
    ClientSyncPort hold(credentials.endpoint(), config.name, clocks);
    const sync::Ended ended = loop.run(report, hold);
    if (ended.verdict == sync::Verdict::kRetry) return {};
    if (ended.verdict == sync::Verdict::kStop) return ended.error;
    if (credentials.reload() || credentials.token() != used) continue;
    if (!swapped && client::swap_credentials(config.data_dir)) {
      log_warn("the controller does not know this node's credential; trying the one before it");
      credentials.reload();
      swapped = true;
      continue;
    }
    if (enrolled) return ended.error;
    log_warn("the controller does not know this node's credential; enrolling again");
    ASSIGN_OR_RETURN(const std::string token,
                     enroll(identity_of(config), credentials.endpoint(), random));
    credentials.set_token(token);
    enrolled = true;
  }
}

// Best effort: a controller that is not there hears of it by our silence.
void take_leave(const AgentConfig& config, sync::SyncLoop& loop, Credentials& credentials,
                ClockWatch& clocks, const std::set<sync::RunKey>& begun) {
  ClientSyncPort port(credentials.endpoint(), config.name, clocks);
  const Regularly patience(Regularly::First::kLater, kFarewell, [&] { port.abort(); });
  const Status told = loop.take_leave(port, begun);
  if (!told)
    log_warn("the controller could not be told of our end", {{"error", told.error().describe()}});
}

// The credential on the disk, or a first one.
Status take_credential(const AgentConfig& config, Credentials& credentials, Random& random) {
  if (credentials.reload()) return {};
  ASSIGN_OR_RETURN(const std::string token,
                   enroll(identity_of(config), credentials.endpoint(), random));
  credentials.set_token(token);
  return {};
}

// What the launcher enforces now that it is another program.
void prove_again(const AgentConfig& config, HostStatus& host) {
  auto proof = prove_sandbox(config.sandbox_program, os::environment());
  host.change([&](contracts::NodeStatus& now) {
    take_over(proof.ok() ? std::move(proof).value() : unproven(proof.error()), now);
  });
}

using Loads = Guarded<std::vector<devices::AcceleratorLoad>>;

void look_again(HostLook& look, devices::Ledger& accelerators, Loads& loads, HostStatus& host) {
  const devices::Host found = look.look();
  accelerators.know(found.accelerators);
  loads.with([&](auto& now) { now = found.loads; });
  host.change([&](contracts::NodeStatus& now) { take_over(found, now); });
}

// Where the launchers that serve runs, and sessions, have their sockets.
std::string runs_launcher_dir(const AgentConfig& config) {
  return os::join_path(config.data_dir, "sandbox");
}
std::string sessions_launcher_dir(const AgentConfig& config) {
  return os::join_path(config.data_dir, "sandbox-sessions");
}
std::string snippets_launcher_dir(const AgentConfig& config) {
  return os::join_path(config.data_dir, "sandbox-snippets");
}

// What an earlier agent left half-built goes.
Status prepare_folders(const AgentConfig& config, const executor::ExecutorConfig& executor) {
  for (const std::string& each : {executor.runs_dir, runs_launcher_dir(config),
                                  sessions_launcher_dir(config), snippets_launcher_dir(config)})
    TRY(os::make_dirs(each));
  os::spread_folders(executor.runs_dir);
  runtimes::sweep_environments(executor.environments.dir);
  return {};
}

// No run comes to a full disk, whose end would prune the cache; nor one that has no room here. What
// nobody uses goes before any run that does.
void tend_disk(const AgentConfig& config, HostStatus& host, RunHost& runs, CallHost& calls,
               devices::DiskLedger& disk, CacheKeeper& cache, const Clock& clock) {
  bool full = false;
  const DiskUse use = runs.disk_use();
  host.change([&](contracts::NodeStatus& now) {
    look_at_disk(host_settings_of(config), use, now, clock.wall());
    look_at_fault(host_settings_of(config), now, clock.wall());
    full = contracts::disk_pressure(now) != nullptr;
  });
  if (full) runs.free_ended();
  if ((full || disk.is_short()) && cache.clean_up(clock, true)) disk.made_room();
  if (const auto room = devices::disk_room(config.data_dir); room && full)
    relieve_disk(*room, config.min_free.bytes, [&] {
      std::vector<DiskWriter> out = runs.disk_writers();
      std::ranges::move(calls.disk_writers(), std::back_inserter(out));
      return out;
    });
}

// Those that serve: runs; sessions, whose programs are judged; short code.
struct Launchers {
  Launchers(const AgentConfig& config, const Clock& clock)
      : runs(config.sandbox_program, runs_launcher_dir(config), clock),
        session_launcher(config.sandbox_program, sessions_launcher_dir(config), clock,
                         session_launcher_options()),
        snippet_launcher(config.sandbox_program, snippets_launcher_dir(config), clock,
                         {"--hold", "exit", "--ready", "2"}) {
    runs.start();
    if (config.sessions.max_sessions > 0) session_launcher.start();
    if (config.snippets.enabled) snippet_launcher.start();
  }
  executor::LaunchServer runs, session_launcher, snippet_launcher;
};

// What waits was made by the program that was there before.
void use_new_launcher(const AgentConfig& config, Launchers& launchers, CallHost& calls) {
  log_info("the launcher is another program now; trying its sandbox");
  launchers.runs.replace();
  if (config.sessions.max_sessions > 0) launchers.session_launcher.replace();
  if (config.snippets.enabled) launchers.snippet_launcher.replace();
  calls.discard_warm();
}

Result<contracts::NodeStatus> first_status(const AgentConfig& config, const devices::Host& host,
                                           const contracts::NodeBounds& bounds, WallTime now) {
  ASSIGN_OR_RETURN(contracts::NodeStatus status, node_status(host_settings_of(config), host, now));
  status.agent_version = kAgentVersion;
  status.ceilings = config.ceilings;
  status.max_sessions = config.sessions.max_sessions;
  status.largest_limits = bounds.largest;
  return status;
}

// What all of them use, from one look to the next.
class UseTeller {
 public:
  UseTeller(const devices::Host& host, RunHost& runs, sync::SyncLoop& loop, const Clock& clock)
      : meter_("/", host.capacity.cpu), runs_(runs), loop_(loop), clock_(clock) {}
  void tell(const Loads& loads) {
    const auto now = loads.with([](const auto& each) { return each; });
    loop_.set_usage(meter_.measure(runs_.measured_runs(), now, clock_.mono()));
  }

 private:
  usage::UsageMeter meter_;
  RunHost& runs_;
  sync::SyncLoop& loop_;
  const Clock& clock_;
};

// Every launcher that this agent starts hears it from its environment.
void tell_launchers(const AgentConfig& config) {
  ::setenv(contracts::kEtcVariable, join(config.etc_files, ",").c_str(), 1);
}

// What was left of the agent before, then its own work.
Status begin_work(const AgentConfig& config, const std::string& nonce, RunHost& runs,
                  CacheKeeper& cache, CallHost& calls, const Clock& clock) {
  TRY(runs.recover());
  cache.clean_up(clock);
  TRY(write_agent_file(identity_of(config), nonce));
  calls.start();
  log_info("agent started", {{"node", config.name}, {"server", config.server}});
  return {};
}

}  // namespace

Status run_agent(const AgentConfig& config, const Clock& clock, Random& random, int stop_fd) {
  tell_launchers(config);
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_data_dir(config));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint, endpoint_of(config));
  const contracts::NodeBounds bounds = bounds_of(config);
  const executor::ExecutorConfig executor = executor_config(config, bounds);
  ASSIGN_OR_RETURN(snippets::Setting snippet_setting, snippet_setting_of(config, bounds));
  TRY(prepare_folders(config, executor));
  ASSIGN_OR_RETURN(const std::unique_ptr<CacheKeeper> cache,
                   CacheKeeper::open(config.data_dir, executor.sandbox_uid, config.cache_quota));
  HostLook host_look(host_settings_of(config));
  const devices::Host first_look = host_look.look();
  ASSIGN_OR_RETURN(contracts::NodeStatus status,
                   first_status(config, first_look, bounds, clock.wall()));
  devices::Ledger accelerators;
  accelerators.know(first_look.accelerators);

  Credentials credentials(endpoint, config.data_dir);
  TRY(take_credential(config, credentials, random));

  const RunHost* hosting = nullptr;
  const std::string nonce = make_uuid(random);
  ASSIGN_OR_RETURN(const int64_t generation, take_generation(config.data_dir, clock.wall()));
  Launchers launchers(config, clock);
  CallHost calls(
      {std::move(snippet_setting), session_setting_of(config, bounds)}, config.name,
      launchers.snippet_launcher, launchers.session_launcher, {nonce, generation},
      [&] { return credentials.endpoint(); },
      [&](const std::string& run) { return hosting->open_workspace(run); }, clock);
  TRY(calls.recover());
  sync::SyncLoop* talking = nullptr;
  HostStatus* telling = nullptr;
  devices::DiskLedger disk(config.data_dir, config.min_free.bytes, [&] {
    telling->change_and_tell([&](contracts::NodeStatus& now) {
      look_at_disk(host_settings_of(config), hosting->disk_use(), now, clock.wall());
    });
  });
  RunHost runs(
      executor, *cache, accelerators, disk,
      [&] { return std::make_unique<ClientTransport>(credentials.endpoint(), config.name); }, clock,
      random, first_look.capacity.max_runs, &launchers.runs,
      [&](const contracts::RunReport& report, int64_t seq) { talking->observe(report, seq); });
  sync::SyncLoop loop(sync::SyncCore(nonce, generation, config.labels), runs, clock, random,
                      [&](const sync::Action& action) {
                        if (const auto* keep = std::get_if<sync::KeepSessions>(&action))
                          return calls.sessions().keep(keep->uids);
                        runs.act(action);
                      });
  talking = &loop;
  hosting = &runs;
  HostStatus host(std::move(status),
                  [&](const contracts::NodeStatus& now) { loop.set_status(now); });
  telling = &host;
  host.publish();
  TRY(begin_work(config, nonce, runs, *cache, calls, clock));
  Status ended;
  ClockWatch clocks;
  UseTeller use(first_look, runs, loop, clock);
  Loads loads(first_look.loads);
  {
    const WhenReadable stopper(stop_fd, [&] { loop.stop(); });
    const Regularly housekeeping(Regularly::First::kAtOnce, kTidyEvery, [&] {
      prune_environments(executor.environments.dir, clock.wall());
    });
    const LauncherWatch watch(config.sandbox_program, [&] {
      use_new_launcher(config, launchers, calls);
      prove_again(config, host);
    });
    const Regularly looking(Regularly::First::kLater, kLookEvery,
                            [&] { look_again(host_look, accelerators, loads, host); });
    const Regularly measuring(Regularly::First::kAtOnce, kMeasureEvery, [&] { use.tell(loads); });
    const Regularly tending(Regularly::First::kLater, kDiskEvery,
                            [&] { tend_disk(config, host, runs, calls, disk, *cache, clock); });
    const CredentialKeeper keeper(credentials, config.name, config.rotate_credential.value, clock);
    ended = converse(config, loop, credentials, clocks, random);
  }
  calls.stop();
  const std::set<sync::RunKey> begun = runs.stop();
  if (ended.ok()) take_leave(config, loop, credentials, clocks, begun);
  log_info("agent stopped", {{"node", config.name}});
  return ended;
}

}  // namespace paddock::agent
