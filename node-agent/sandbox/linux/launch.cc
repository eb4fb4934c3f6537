#include "node-agent/sandbox/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/broker_process.h"
#include "node-agent/sandbox/linux/child.h"
#include "node-agent/sandbox/linux/control.h"
#include "node-agent/sandbox/linux/facts.h"
#include "node-agent/sandbox/linux/filter.h"
#include "node-agent/sandbox/linux/kit.h"
#include "node-agent/sandbox/linux/mounts.h"
#include "node-agent/sandbox/linux/raw.h"
#include "node-agent/sandbox/linux/request_facts.h"
#include "node-agent/sandbox/linux/supervise.h"
#include "node-agent/sandbox/linux/user_namespace.h"
#include "node-agent/sandbox/network_report.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;

sigset_t cancel_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

struct Channels {
  ControlPair control;
  os::Pipe witness;
  os::Pipe out;
  os::Pipe err;
};

Result<Channels> make_channels() {
  Channels out;
  ASSIGN_OR_RETURN(out.control, make_control_pair());
  ASSIGN_OR_RETURN(out.witness, os::make_pipe());
  ASSIGN_OR_RETURN(out.out, os::make_pipe());
  ASSIGN_OR_RETURN(out.err, os::make_pipe());
  // A write end may have been handed to a process outside: the last read must not wait for it.
  for (const os::Fd* end : {&out.out.read, &out.err.read}) {
    if (fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return system_error("the output pipes", errno);
  }
  return out;
}

using Broker = std::unique_ptr<BrokerProcess>;  // none: no network

// Everything that can fail before a process exists, then the process. On return it waits for
// nothing but the supervisor.
Result<RunningSandbox> start(LaunchKit& kit, const LaunchRequest& request, const SandboxPlan& plan,
                             const Cgroup& cgroup, const Broker& broker) {
  ASSIGN_OR_RETURN(Channels channels, make_channels());
  ChildContext child{.request = request,
                     .plan = plan,
                     .filters = kit.filters,
                     .cgroup = cgroup,
                     .control = channels.control.child.get(),
                     .out = channels.out.write.get(),
                     .err = channels.err.write.get(),
                     .exec_witness = channels.witness.write.get(),
                     .broker = broker ? broker->sandbox_end() : -1};
  if (plan.privileged) {
    ASSIGN_OR_RETURN(child.sources, open_sources(plan, std::move(kit.prepared)));
  }
  int pidfd = -1;
  // What the broker serves must be made by somebody with capabilities in that network.
  const bool inherits_network = kit.in_empty_network && !broker;
  const pid_t pid =
      raw::clone_process(init_namespaces(inherits_network), &pidfd, cgroup.clone_fd());
  if (pid < 0) {
    return step_error("making the namespaces", errno,
                      "see sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone and "
                      "kernel.apparmor_restrict_unprivileged_userns");
  }
  if (pid == 0) {
    // The launcher's ends: as long as we held them, its death would go unnoticed.
    channels.control.launcher.reset();
    run_init(child);
  }
  RunningSandbox running{pid,
                         os::Fd(pidfd),
                         std::move(channels.control.launcher),
                         std::move(channels.witness.read),
                         std::move(channels.out.read),
                         std::move(channels.err.read)};
  const Status mapped =
      write_id_maps(pid, {kInsideId, kInsideId, plan.host_uid, plan.host_gid}, plan.privileged);
  if (!mapped.ok()) {
    raw::pidfd_send_signal(running.pidfd.get(), SIGKILL);
    return mapped.error();
  }
  send_control(running.control.get(), ControlMessage::Type::kIdsMapped);
  return running;
}

void describe_run(Supervisor& supervisor, const Outcome& outcome, SandboxResult& result) {
  result.out = supervisor.out().excerpt();
  result.err = supervisor.err().excerpt();
  result.truncated = {supervisor.out().excerpt_truncated(), supervisor.err().excerpt_truncated()};
  result.duration_ms = supervisor.duration().count();
  result.usage.stdout_bytes = supervisor.out().written();
  result.usage.stderr_bytes = supervisor.err().written();
  result.denials = supervisor.take_denials();
  if (const auto* ended = std::get_if<outcome::Ended>(&outcome)) {
    result.usage.cpu_ms =
        std::max(ended->main_cpu, ended->readings.cpu.value_or(Millis(0))).count();
    result.usage.peak_memory_bytes = ended->readings.peak_memory_bytes;
    result.usage.peak_pids = ended->readings.peak_pids;
  }
  // Every step was accepted, else exec would not have been reached.
  const bool applied =
      supervisor.started() || std::holds_alternative<outcome::NotExecutable>(outcome);
  for (auto& [name, enforcement] : result.enforced) {
    enforcement.applied = applied && enforcement.level != contracts::EnforcementLevel::kNone;
  }
}

Result<Broker> start_broker(const LaunchKit& kit, const SandboxPlan& plan) {
  if (!plan.broker) return Broker();
  return BrokerProcess::start(*plan.broker, kit.host_network.get());
}

Outcome run_plan(LaunchKit& kit, const LaunchRequest& request, const SandboxPlan& plan,
                 EventWriter& events, const Clock& clock, SandboxResult& result) {
  auto cgroup = make_cgroup(plan.cgroup, kit.host.cgroup);
  if (!cgroup.ok()) return outcome::SetupFailed{cgroup.error()};
  auto disk = DiskWatch::start(plan);
  if (!disk.ok()) return outcome::SetupFailed{disk.error()};
  const sigset_t signals = cancel_signals();
  const os::Fd signal_fd(signalfd(-1, &signals, SFD_CLOEXEC));
  auto broker = start_broker(kit, plan);
  if (!broker.ok()) return outcome::SetupFailed{broker.error()};
  auto running = start(kit, request, plan, **cgroup, *broker);
  if (!running.ok()) return outcome::SetupFailed{running.error()};
  if (*broker) (*broker)->close_sandbox_end();
  if (*disk) (*disk)->attach(running->pid);
  Supervisor supervisor(
      std::move(running).value(),
      {plan, **cgroup, events, clock, kit.filters.choices, disk->get(), signal_fd.get()},
      request.inline_output_bytes);
  const Outcome outcome = supervisor.run();
  (*cgroup)->remove();
  std::optional<BrokerReport> report;
  if (*broker) report = (*broker)->finish();
  classify(outcome, {plan.cpu_time, plan.cgroup.pids}, request.command[0], result);
  describe_run(supervisor, outcome, result);
  if (*broker && supervisor.started()) tell_of_network(std::move(report), result);
  remark({supervisor.out().truncated() || supervisor.err().truncated(), plan.partial}, result);
  return outcome;
}

SandboxResult blank_result(const LaunchRequest& request) {
  SandboxResult result;
  result.cmd = request.command;
  result.trace_id = request.trace_id;
  result.policy = request.policy;
  return result;
}

// The result of what never ran.
SandboxResult explain(const Outcome& outcome, const LaunchRequest& request, SandboxResult& result) {
  classify(outcome, {}, request.command.empty() ? "" : request.command[0], result);
  return result;
}

}  // namespace

void hold_cancel_signals() {
  const sigset_t signals = cancel_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

Result<LaunchKit> make_kit() {
  LaunchKit kit;
  ASSIGN_OR_RETURN(kit.host, gather_facts());
  ASSIGN_OR_RETURN(kit.filters, render_filters({.pass = random_pass()}));
  sweep_stale_cgroups(kit.host.cgroup);
  return kit;
}

SandboxResult launch_with(LaunchKit& kit, const LaunchRequest& request, EventWriter& events,
                          const Clock& clock) {
  hold_cancel_signals();
  SandboxResult result = blank_result(request);
  HostFacts host = kit.host;
  host.named = gather_request_facts(request, host);
  auto plan = make_plan(request, host);
  if (!plan.ok()) return explain(outcome::Refused{plan.error()}, request, result);
  result.enforced = plan->enforced;
  const Outcome outcome = run_plan(kit, request, *plan, events, clock, result);
  if (std::holds_alternative<outcome::SetupFailed>(outcome))
    return explain(outcome, request, result);
  return result;
}

SandboxResult launch(const LaunchRequest& request, EventWriter& events, const Clock& clock) {
  auto kit = make_kit();
  if (kit.ok()) return launch_with(*kit, request, events, clock);
  SandboxResult result = blank_result(request);
  return explain(outcome::SetupFailed{kit.error()}, request, result);
}

}  // namespace paddock::sandbox
