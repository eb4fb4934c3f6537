#include "node-agent/sandbox/backend/launch.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/egress/network_report.h"
#include "node-agent/sandbox/linux/egress/broker_process.h"
#include "node-agent/sandbox/linux/host/facts.h"
#include "node-agent/sandbox/linux/host/request_facts.h"
#include "node-agent/sandbox/linux/launcher/launcher_context.h"
#include "node-agent/sandbox/linux/launcher/prepared_sandbox.h"
#include "node-agent/sandbox/linux/launcher/shared_memory_watch.h"
#include "node-agent/sandbox/linux/launcher/start_message.h"
#include "node-agent/sandbox/linux/launcher/supervise.h"
#include "node-agent/sandbox/linux/seccomp/filter.h"
#include "node-agent/sandbox/plan/missing_limits.h"
#include "node-agent/sandbox/plan/request_check.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;

sigset_t cancel_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
  return set;
}

os::Fd open_cancel_signals() {
  const sigset_t signals = cancel_signals();
  return os::Fd(signalfd(-1, &signals, SFD_CLOEXEC));
}

// Empty too where a further command went that way: then nobody can tell whose each connection was.
std::string sole_broker_user(Supervisor& supervisor, const ExecHost* execs) {
  return execs != nullptr && execs->reached_broker() ? "" : supervisor.sole_broker_user();
}

using Broker = std::unique_ptr<BrokerProcess>;  // none: no network

void describe_run(Supervisor& supervisor, const Outcome& outcome, SandboxResult& result) {
  supervisor.describe_output(result);
  result.duration_ms = supervisor.duration().count();
  result.denials = supervisor.take_denials();
  if (const auto* ended = std::get_if<outcome::Ended>(&outcome)) {
    result.usage.cpu_ms =
        std::max(ended->main_cpu, ended->readings.cpu.value_or(Millis(0))).count();
    result.usage.peak_memory_bytes = ended->readings.peak_memory_bytes;
    result.usage.peak_pids = ended->readings.peak_pids;
  }
  // The command is executed only after the kernel accepted every step.
  const bool applied =
      supervisor.started() || std::holds_alternative<outcome::NotExecutable>(outcome);
  for (auto& [name, enforcement] : result.enforced) {
    enforcement.applied = applied && enforcement.level != contracts::EnforcementLevel::kNone;
  }
}

// The kernel may refuse the allotment of processors although the host has a cgroup for it. The run
// goes on without, and its result says so.
void tell_of_cpus(const Cgroup& cgroup, const SandboxPlan& plan, SandboxResult& result) {
  if (cgroup.bound_cpus().ok()) return;
  AbsentLimits("CGROUP_UNAVAILABLE", cgroup.bound_cpus().error().message.c_str(), result.enforced)
      .add_cpus(plan.cgroup.cpus);
}

Result<Broker> start_broker(const LauncherContext& launcher, const SandboxPlan& plan) {
  if (!plan.broker) return Broker();
  return BrokerProcess::start(*plan.broker, launcher.host_network.get());
}

// Returns the sandbox that was prepared before the request, if it fits; else a new one for this
// plan.
Result<std::unique_ptr<PreparedSandbox>> choose_sandbox(LauncherContext& launcher,
                                                        const SandboxPlan& plan,
                                                        std::unique_ptr<PreparedSandbox> prepared,
                                                        const Broker& broker) {
  // The shared view is a copy of the host's mounts, and is of use only while those are unchanged.
  const bool current =
      !launcher.shared || (!mounts_have_changed(launcher.mounts) && launcher.shared->is_current());
  if (prepared && current && prepared->fits(plan)) return prepared;
  prepared.reset();  // first, as the new one gets a cgroup of the same name
  if (!current) launcher.shared.reset();
  return PreparedSandbox::make(launcher, plan, broker.get());
}

Result<std::unique_ptr<PreparedSandbox>> fitted_sandbox(LauncherContext& launcher,
                                                        const SandboxPlan& plan,
                                                        std::unique_ptr<PreparedSandbox> prepared,
                                                        const Broker& broker) {
  ASSIGN_OR_RETURN(auto out, choose_sandbox(launcher, plan, std::move(prepared), broker));
  TRY(out->fit(plan));
  return out;
}

// Returns a sandbox to which the plan was applied. Whether a file system can map owners is known
// only when its folder is mounted. Where it cannot, the sandbox is made once more, as the files'
// owner.
Result<std::unique_ptr<PreparedSandbox>> fitting_sandbox(LauncherContext& launcher,
                                                         SandboxPlan& plan,
                                                         std::unique_ptr<PreparedSandbox> prepared,
                                                         const Broker& broker) {
  auto out = fitted_sandbox(launcher, plan, std::move(prepared), broker);
  const bool shares = !out.ok() && out.error().reason == kOwnerNotMapped && plan.privileged &&
                      plan.host_uid != plan.files_owner;
  if (!shares) return out;
  share_user("the file system of a folder that it is given cannot map owners", plan);
  return fitted_sandbox(launcher, plan, nullptr, broker);
}

// Whether nobody can tell when exactly this run's processes are gone: it has no network, can write
// to no folder that others see, and its cgroup counts what it used. Linux 5.19 is needed: before, a
// signal could set free a thread that is held at its exit.
bool ends_unseen(const LauncherContext& launcher, const SandboxPlan& plan, const Feed& feed) {
  const auto shared = [](const MountEntry& entry) {
    return entry.kind == MountEntry::Kind::kBind && (entry.writable || !entry.lower.empty());
  };
  const bool holds =
      std::pair(launcher.host.kernel_major, launcher.host.kernel_minor) >= std::pair(5, 19);
  return feed.client >= 0 && holds && plan.cgroup.cpu_accounting && !plan.broker &&
         std::ranges::none_of(plan.mounts, shared);
}

// Where no socket can be made nothing can be executed in the run, and it runs all the same: who
// wants to execute finds nobody listening, and the launcher's log says why.
std::unique_ptr<ExecHost> open_execs(const LaunchRequest& request, const Clock& clock) {
  if (request.exec_socket.empty()) return nullptr;
  auto out = ExecHost::open(request.exec_socket, clock);
  if (out.ok()) return std::move(*out);
  (void)os::write_all(
      STDERR_FILENO,
      cat("paddock-sandbox: no further commands can be executed: ", out.error().describe(), "\n"));
  return nullptr;
}

// The run is over. What its further commands were refused stands behind what it was refused itself.
void tell_of_execs(ExecHost& execs, SandboxResult& result) {
  for (contracts::Denial& denial : execs.take_denials())
    result.denials.push_back(std::move(denial));
}

SandboxResult blank_result(const LaunchRequest& request) {
  SandboxResult result;
  result.cmd = request.command;
  result.trace_id = request.trace_id;
  result.policy = request.policy;
  return result;
}

// Writes the result of a run whose command was never executed.
void explain(const Outcome& outcome, const LaunchRequest& request, SandboxResult& result) {
  classify(outcome, {}, request.command.empty() ? "" : request.command[0], result);
}

// A run, the launcher that makes it, and the result that is written of it.
struct LaunchedRun {
  LauncherContext& launcher;
  Feed& feed;
  const LaunchRequest& request;
  SandboxPlan& plan;
  EventWriter& events;
  const Clock& clock;
  SandboxResult& result;
};

// These count what a run's processes hold beside the memory that the kernel counts by itself. Only
// a run whose memory has a limit has them.
struct MemoryWatches {
  std::optional<SocketWatch> sockets;
  std::optional<LockWatch> locks;
  std::optional<SharedMemoryWatch> shared;  // where no cgroup counts the memory

  MemoryWatches(PreparedSandbox& sandbox, const SandboxPlan& plan) {
    if (!plan.socket_bytes) return;
    sockets.emplace(sandbox.init(), *plan.socket_bytes, plan.host_uid == plan.files_owner);
    locks.emplace(sandbox.init(), sandbox.cgroup(), plan.privileged, *plan.socket_bytes);
    if (plan.process_memory.private_bytes)
      shared.emplace(sandbox.init(), *plan.process_memory.private_bytes);
  }
};

// Opens the file that the command reads as its input, if it reads one.
Status lend_input(LaunchedRun& run) {
  if (run.request.input_file.empty()) return {};
  ASSIGN_OR_RETURN(InputFeed opened, InputFeed::open(run.request.input_file, run.clock.mono()));
  run.feed.input = opened.take_command_end();
  TRY(run.launcher.used->lend(run.feed.input));
  run.launcher.input = std::move(opened);
  return {};
}

// From here on further commands can be executed in the run, if it takes any.
Status begin_execs(LaunchedRun& run) {
  run.launcher.execs = open_execs(run.request, run.clock);
  if (!run.launcher.execs) return {};
  ASSIGN_OR_RETURN(auto ground, run.launcher.used->exec_ground(run.request, run.plan));
  ground.choices = run.launcher.filters.choices;
  run.launcher.execs->begin(std::move(ground));
  return {};
}

// Writes how the run ended into its result, and takes the sandbox back.
void conclude(LaunchedRun& run, Supervisor& supervisor, const Outcome& outcome,
              const Broker& broker) {
  LauncherContext& launcher = run.launcher;
  const SandboxPlan& plan = run.plan;
  std::optional<BrokerReport> report;
  if (broker) report = broker->finish();
  classify(outcome, {plan.cpu_time, plan.cgroup.pids, plan.cgroup.memory_bytes},
           run.request.command[0], run.result);
  describe_run(supervisor, outcome, run.result);
  tell_of_cpus(launcher.used->cgroup(), plan, run.result);
  if (broker && supervisor.started())
    tell_of_network(std::move(report), sole_broker_user(supervisor, launcher.execs.get()),
                    run.result);
  launcher.used->take_back(supervisor.release());
  if (!std::holds_alternative<outcome::SetupFailed>(outcome))
    remark({supervisor.outputs().truncated(), plan.partial || !launcher.used->loopback().ok()},
           run.result);
  // How the run ended is judged by what its own command was refused.
  if (launcher.execs) tell_of_execs(*launcher.execs, run.result);
}

// Leaves the sandbox in the launcher: it is destroyed after the result is out, as the kernel may
// need long for that.
void run_plan(LaunchedRun run, std::unique_ptr<PreparedSandbox> prepared) {
  auto& [launcher, feed, request, plan, events, clock, result] = run;
  const auto setup_failed = [&run](const Error& error) {
    explain(outcome::SetupFailed{error}, run.request, run.result);
  };
  auto disk = DiskWatch::start(plan);
  if (!disk.ok()) return setup_failed(disk.error());
  const os::Fd signals = open_cancel_signals();
  auto broker = start_broker(launcher, plan);
  if (!broker.ok()) return setup_failed(broker.error());
  auto sandbox = fitting_sandbox(launcher, plan, std::move(prepared), *broker);
  if (!sandbox.ok()) return setup_failed(sandbox.error());
  launcher.used = std::move(*sandbox);
  result.enforced["accounts"] = plan.enforced["accounts"];
  if (const Status taken =
          accept_loopback(launcher.used->loopback(), request.policy.allow_partial, result.enforced);
      !taken.ok())
    return explain(outcome::Refused{taken.error()}, request, result);
  if (*broker) (*broker)->close_sandbox_end();
  if (*disk) (*disk)->attach(launcher.used->init(), launcher.used->cgroup());
  MemoryWatches watches(*launcher.used, plan);
  if (const Status lent = lend_input(run); !lent.ok()) return setup_failed(lent.error());
  if (const Status begun = begin_execs(run); !begun.ok()) return setup_failed(begun.error());
  auto running = launcher.used->start(request, plan, feed.input.get());
  if (!running.ok()) {
    launcher.used.reset();
    return setup_failed(running.error());
  }
  // From now on only the command holds it, so its client sees when the command closes it.
  feed.input.reset();
  Supervisor supervisor(
      std::move(running).value(),
      {plan, launcher.used->cgroup(), events, clock, launcher.filters.choices, disk->get(),
       watches.sockets ? &*watches.sockets : nullptr, watches.locks ? &*watches.locks : nullptr,
       watches.shared ? &*watches.shared : nullptr, launcher.input ? &*launcher.input : nullptr,
       signals.get(), feed.client, feed.client >= 0 && !feed.ahead, !request.brief_result,
       ends_unseen(launcher, plan, feed), launcher.execs.get()},
      request.inline_output_bytes);
  const Outcome outcome = supervisor.run();
  conclude(run, supervisor, outcome, *broker);
}

// run_plan() for a run that was ordered ahead. Its sandbox is made before the last argument of the
// command arrives; choose_sandbox() checks later whether it still fits. An error here is not
// reported, since nobody has asked for the run yet: the step is repeated, and its error told, when
// the run begins. A plan with a broker is not prepared: the broker starts with the run.
void run_ahead(LauncherContext& launcher, std::unique_ptr<PreparedSandbox> prepared, Feed& feed,
               LaunchRequest request, SandboxPlan plan, EventWriter& events, const Clock& clock,
               SandboxResult& result) {
  if (!plan.broker && launcher.shared) {
    auto ready = fitting_sandbox(launcher, plan, std::move(prepared), nullptr);
    if (ready.ok() && launcher.shared) prepared = std::move(*ready);
  }
  auto word = receive_start_message(feed.client, open_cancel_signals().get());
  if (!word) return explain(outcome::Ended{.cause = EndCause::kCanceled}, request, result);
  request.command.push_back(std::move(word->argument));
  result.cmd = request.command;
  if (const Status fine = check_command(request); !fine.ok())
    return explain(outcome::Refused{fine.error()}, request, result);
  const Millis wall_time = word->begun.wall_time;
  plan.launcher.wall_time = std::min(wall_time, plan.launcher.wall_time.value_or(wall_time));
  if (word->begun.shown) plan.launcher.show_all();
  run_plan({launcher, feed, request, plan, events, clock, result}, std::move(prepared));
}

// Switches to the filter that asks about each program that is executed. Most runs name no tools, so
// what this launcher prepared may have the other filter; then that is thrown away.
Status judge_executions(LauncherContext& launcher, const SandboxPlan& plan,
                        std::unique_ptr<PreparedSandbox>& prepared) {
  LaunchChoices& choices = launcher.filters.choices;
  if (!plan.tools.narrowed || choices.judge_exec) return {};
  prepared.reset();
  choices.judge_exec = true;
  ASSIGN_OR_RETURN(launcher.filters.launch, render_launch_filter(choices));
  return {};
}

}  // namespace

void hold_cancel_signals() {
  const sigset_t signals = cancel_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

void forget_cancel_signals() {
  const sigset_t signals = cancel_signals();
  const timespec at_once{};
  while (sigtimedwait(&signals, nullptr, &at_once) > 0) {
  }
}

Result<LauncherContext> make_launcher_context(LaunchChoices choices) {
  LauncherContext launcher;
  ASSIGN_OR_RETURN(launcher.host, gather_facts());
  choices.pass = random_pass();
  ASSIGN_OR_RETURN(launcher.filters, render_filters(choices));
  sweep_stale_cgroups(launcher.host.cgroup);
  if (launcher.host.privileged) give_user(launcher, HostUser::take());
  return launcher;
}

void give_user(LauncherContext& launcher, Result<HostUser> user) {
  launcher.user.reset();
  launcher.host.own_user.reset();
  if (!user.ok()) {
    launcher.host.why_no_own_user = user.error().message;
    return;
  }
  launcher.user = std::move(*user);
  launcher.host.own_user = launcher.user->id();
}

SandboxResult launch_with(LauncherContext& launcher, std::unique_ptr<PreparedSandbox> prepared,
                          Feed feed, const LaunchRequest& request, EventWriter& events,
                          const Clock& clock) {
  hold_cancel_signals();
  SandboxResult result = blank_result(request);
  HostFacts host = launcher.host;
  host.turn = static_cast<uint64_t>(getpid());
  host.named = gather_request_facts(request, host);
  auto plan = make_plan(request, host);
  if (!plan.ok()) {
    explain(outcome::Refused{plan.error()}, request, result);
    return result;
  }
  result.enforced = plan->enforced;
  if (const Status judged = judge_executions(launcher, *plan, prepared); !judged.ok()) {
    explain(outcome::SetupFailed{judged.error()}, request, result);
    return result;
  }
  if (feed.ahead) {
    run_ahead(launcher, std::move(prepared), feed, request, *plan, events, clock, result);
  } else {
    run_plan({launcher, feed, request, *plan, events, clock, result}, std::move(prepared));
  }
  return result;
}

SandboxResult launch(const LaunchRequest& request, EventWriter& events, const Clock& clock,
                     Remains& remains) {
  auto launcher = make_launcher_context();
  if (launcher.ok()) {
    const auto kept = std::make_shared<LauncherContext>(std::move(*launcher));
    remains = kept;
    return launch_with(*kept, nullptr, {}, request, events, clock);
  }
  SandboxResult result = blank_result(request);
  explain(outcome::SetupFailed{launcher.error()}, request, result);
  return result;
}

}  // namespace paddock::sandbox
