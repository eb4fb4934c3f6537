#include "node-agent/sandbox/linux/launcher/prepared_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "common/base/text.h"
#include "common/os/packet_socket.h"
#include "node-agent/sandbox/command/command_spec.h"
#include "node-agent/sandbox/linux/child/child.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/filesystem/root.h"
#include "node-agent/sandbox/linux/kernel/landlock.h"
#include "node-agent/sandbox/linux/kernel/loopback.h"
#include "node-agent/sandbox/linux/kernel/machine.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/users/host_user.h"
#include "node-agent/sandbox/linux/users/user_namespace.h"
#include "node-agent/sandbox/plan/mount_groups.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

constexpr int kSetupMs = 30'000;

bool mounts_on_detached_trees(const HostFacts& host) {
  return std::pair(host.kernel_major, host.kernel_minor) >= std::pair(6, 15);
}

// The child's ends of the channels; the launcher keeps the other ends.
struct ChildEnds {
  os::Fd control;
  os::Fd out;
  os::Fd err;
};

Result<ChildEnds> open_channels(RunningSandbox& processes) {
  ASSIGN_OR_RETURN(ControlPair control, make_control_pair());
  ASSIGN_OR_RETURN(os::Pipe out, os::make_pipe());
  ASSIGN_OR_RETURN(os::Pipe err, os::make_pipe());
  // The command may have handed a write end to a process outside, for which no read may wait.
  for (const os::Fd* end : {&out.read, &err.read}) {
    if (fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return system_error("the output pipes", errno);
  }
  processes.control = std::move(control.launcher);
  processes.out = std::move(out.read);
  processes.err = std::move(err.read);
  return ChildEnds{std::move(control.child), std::move(out.write), std::move(err.write)};
}

Error setup_failed(std::string message) {
  return {Code::kInternal, "SANDBOX_SETUP_FAILED", std::move(message)};
}

// Empty if the share is all processors of this launcher.
std::vector<int> processors_to_choose(const MachineShare& share) {
  return share.processors.size() < share.machine->processors.size() ? share.processors
                                                                    : std::vector<int>();
}

// A child that is gone by now is no error here: the supervisor will notice.
Status send_order(int control, bool has_ruleset, const CommandSpec& spec) {
  const std::string packed = pack(spec);
  const int number = has_ruleset ? 1 : 0;
  if (packed.size() <= kMostControlText) {
    send_control(control, Type::kGo, number, 0, packed);
    return {};
  }
  ASSIGN_OR_RETURN(const os::Fd file, os::file_in_memory(packed));
  send_control(control, Type::kGo, number, 0, {}, file.get());
  return {};
}

// The identity of a sandbox that has no plan yet. Most requests' files belong to the default owner.
HostIdentity waiting_identity(const LauncherContext& launcher) {
  HostIdentity out{.privileged = launcher.host.privileged,
                   .root_mapping = launcher.root_mapping.get()};
  if (!launcher.user) return out;
  out.uid = out.gid = launcher.user->id();
  out.root_mapping = launcher.user->of_root();
  out.default_mapping = launcher.user->of_default();
  return out;
}

HostIdentity planned_identity(const LauncherContext& launcher, const SandboxPlan& plan) {
  HostIdentity out = host_identity(plan);
  if (!launcher.user || plan.host_uid != launcher.user->id()) return out;
  out.root_mapping = launcher.user->of_root();
  out.default_mapping = launcher.user->of_default();
  return out;
}

}  // namespace

bool launcher_makes_views(const HostFacts& host) {
  return host.privileged && mounts_on_detached_trees(host);
}

Result<std::unique_ptr<PreparedSandbox>> PreparedSandbox::prepare(const LauncherContext& launcher) {
  if (!launcher.shared->landlock()) return setup_failed("a standing tool is not there");
  std::unique_ptr<PreparedSandbox> out(new PreparedSandbox(waiting_identity(launcher)));
  TRY(out->start_processes(launcher, nullptr, nullptr, nullptr));
  TRY(out->make_view(launcher, launcher.shared->table(), whole_machine(launcher.host)));
  out->prepared_ = &*launcher.shared;
  ASSIGN_OR_RETURN(out->ruleset_, make_ruleset(*launcher.shared->landlock(), out->view_->root(),
                                               launcher.shared->programs()));
  TRY(out->wait_until_closed());
  return out;
}

Result<std::unique_ptr<PreparedSandbox>> PreparedSandbox::make(const LauncherContext& launcher,
                                                               const SandboxPlan& plan,
                                                               BrokerProcess* broker) {
  std::unique_ptr<PreparedSandbox> out(new PreparedSandbox(planned_identity(launcher, plan)));
  out->bounded_ = plan.cgroup.cpus.has_value();
  if (launcher_makes_views(launcher.host)) {
    TRY(out->start_processes(launcher, nullptr, &plan, broker));
    TRY(out->make_view(launcher, plan.mounts, plan.share));
  } else {
    OwnView own{plan, {}};
    if (plan.privileged) {
      ASSIGN_OR_RETURN(own.sources, open_sources(plan.mounts, out->identity_));
    }
    TRY(out->start_processes(launcher, &own, &plan, broker));
  }
  TRY(out->wait_until_closed());
  return out;
}

PreparedSandbox::~PreparedSandbox() {
  if (processes_.pid > 0) {
    raw::pidfd_send_signal(processes_.pidfd.get(), SIGKILL);
    while (waitpid(processes_.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (cgroup_) cgroup_->remove();
}

// A child that sends anything, or ends, before it got its order has failed.
bool PreparedSandbox::waits() const {
  std::array<pollfd, 2> fds = {
      {{processes_.control.get(), POLLIN, 0}, {processes_.pidfd.get(), POLLIN, 0}}};
  return poll(fds.data(), fds.size(), 0) == 0;
}

bool PreparedSandbox::fits(const SandboxPlan& plan) const {
  if (fitted_ || prepared_ == nullptr) return waits();
  if (plan.cgroup.cpus && !cgroup_->bounds_cpus()) return false;
  return waits() && !plan.broker && plan.host_uid == identity_.uid &&
         plan.host_gid == identity_.gid && beyond(plan.mounts, prepared_->table()).has_value();
}

Status PreparedSandbox::fit(const SandboxPlan& plan) {
  if (fitted_) return {};
  fitted_ = true;
  if (lent_network_ && plan.reach.loopback) loopback_ = bring_up_loopback();
  TRY(cgroup_->limit(plan.cgroup));
  has_ruleset_ = plan.landlock.files != 0;  // a child that made its own view made a ruleset too
  if (!view_) return {};
  if (prepared_ != nullptr) {
    if (const auto rest = beyond(plan.mounts, prepared_->table()))
      TRY(place_all(*view_, *rest, identity_, nullptr));
    MachineMoment now = this_moment();
    now.id = moment_.id;
    TRY(proc_names_.rewrite(proc_files(plan.share, now)));
  }
  ASSIGN_OR_RETURN(const os::Fd root, view_->finish());
  ASSIGN_OR_RETURN(taken_ruleset_, ruleset_for(plan, root.get()));
  has_ruleset_ = taken_ruleset_.valid();
  if (has_ruleset_ &&
      !send_control(processes_.control.get(), Type::kRuleset, 0, 0, {}, taken_ruleset_.get()))
    return setup_failed("the sandbox ended before the command started");
  return {};
}

namespace {

contracts::LaunchRequest part_for_execs(const contracts::LaunchRequest& request) {
  contracts::LaunchRequest out;
  out.env = request.env;
  out.workdir = request.workdir;
  out.secrets = request.secrets;
  return out;
}

SandboxPlan part_for_execs(const SandboxPlan& plan) {
  SandboxPlan out;
  out.tools = plan.tools;
  out.landlock.network = plan.landlock.network;
  out.reach = plan.reach;
  out.rlimits = plan.rlimits;
  out.share = plan.share;
  out.cpu_time = plan.cpu_time;
  out.launcher = plan.launcher;
  return out;
}

}  // namespace

Result<ExecGround> PreparedSandbox::exec_ground(const contracts::LaunchRequest& request,
                                                const SandboxPlan& plan) const {
  const auto copy = [](const os::Fd& fd) { return os::Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 3)); };
  ExecGround out{.request = part_for_execs(request),
                 .plan = part_for_execs(plan),
                 .choices = {},
                 .stream_owner = identity_.uid,
                 .stream_group = identity_.gid,
                 .lends_streams = identity_.privileged,
                 .init = copy(processes_.control),
                 .ruleset = taken_ruleset_.valid() ? copy(taken_ruleset_) : os::Fd(),
                 .has_ruleset = has_ruleset_};
  if (!out.init.valid() || (taken_ruleset_.valid() && !out.ruleset.valid()))
    return system_error("keeping what further commands need", errno);
  return out;
}

Status PreparedSandbox::lend(const os::Fd& pipe) const {
  if (identity_.privileged && fchown(pipe.get(), identity_.uid, identity_.gid) != 0)
    return step_error("lending a stream", errno);
  return {};
}

Result<RunningSandbox> PreparedSandbox::start(const contracts::LaunchRequest& request,
                                              const SandboxPlan& plan, int input) {
  TRY(lend(processes_.out));
  TRY(lend(processes_.err));
  if (input >= 0) send_control(processes_.control.get(), Type::kInput, 0, 0, {}, input);
  TRY(send_order(processes_.control.get(), has_ruleset_,
                 {request.command, request.env, request.workdir, request.stdin_file, plan.rlimits,
                  request.scratch_folders, request.scratch_files, plan.tools.ids,
                  processors_to_choose(plan.share), plan.landlock.network}));
  RunningSandbox out = std::move(processes_);
  processes_.pid = -1;
  return out;
}

Result<os::Fd> PreparedSandbox::ruleset_for(const SandboxPlan& plan, int root) {
  if (!ruleset_.valid()) return make_ruleset(plan.landlock, root);
  const auto rest = rules_beyond(plan.landlock, *prepared_->landlock());
  if (!rest) return make_ruleset(plan.landlock, root);
  TRY(add_rules(ruleset_, *rest, root));
  return std::move(ruleset_);
}

Status PreparedSandbox::clone_init(const LauncherContext& launcher, ChildContext& child) {
  const bool own_user = launcher.user && identity_.uid == launcher.user->id();
  // Without a user of its own, init needs the host's /proc once more, for bounds.
  in_empty_root_ = launcher.empty_root && own_user && child.own_view == nullptr;
  child.in_empty_root = in_empty_root_;
  std::optional<EmptyRoot::Visit> away;
  if (in_empty_root_) {
    ASSIGN_OR_RETURN(EmptyRoot::Visit visit, launcher.empty_root->enter());
    away.emplace(std::move(visit));
  }
  // The sandbox's own user shall own the namespaces too, as the kernel charges what is in them to
  // their owner.
  std::optional<ActingAs> user;
  if (own_user) {
    ASSIGN_OR_RETURN(ActingAs acting, ActingAs::user(identity_.uid));
    user.emplace(std::move(acting));
    child.user_lock = launcher.user->lock();
  }
  int pidfd = -1;
  const pid_t pid = raw::clone_process(init_namespaces(lent_network_), &pidfd, cgroup_->clone_fd());
  if (pid < 0) {
    return step_error("making the namespaces", errno,
                      "see sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone and "
                      "kernel.apparmor_restrict_unprivileged_userns");
  }
  if (pid == 0) {
    // Close the launcher's end of the channel: while we held it, we would not notice its death.
    processes_.control.reset();
    run_init(child);
  }
  processes_.pid = pid;
  processes_.pidfd.reset(pidfd);
  return {};
}

Status PreparedSandbox::start_processes(const LauncherContext& launcher, OwnView* own_view,
                                        const SandboxPlan* plan, BrokerProcess* broker) {
  ASSIGN_OR_RETURN(cgroup_,
                   make_cgroup(launcher.host.cgroup, bounded_, plan == nullptr || plan->workspace));
  ASSIGN_OR_RETURN(ChildEnds ends, open_channels(processes_));
  // Init makes the broker's sockets and needs capabilities for that, which it lacks in a lent
  // network.
  lent_network_ = launcher.in_empty_network && broker == nullptr;
  ChildContext child{
      .filters = launcher.filters,
      .cgroup = *cgroup_,
      .privileged = launcher.host.privileged,
      .detached_trees = mounts_on_detached_trees(launcher.host),
      .own_view = own_view,
      .control = ends.control.get(),
      .out = ends.out.get(),
      .err = ends.err.get(),
      .broker_config = broker != nullptr ? &*plan->broker : nullptr,
      .broker = broker != nullptr ? broker->sandbox_end() : -1,
      .own_network = !lent_network_,
      .loopback = plan != nullptr && plan->reach.loopback && broker == nullptr && !lent_network_};
  TRY(clone_init(launcher, child));
  const pid_t pid = processes_.pid;
  TRY(write_id_maps(pid, {kInitId, kInitId, identity_.uid, identity_.gid}, identity_.privileged));
  mount_namespace_.reset(open(cat("/proc/", pid, "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
  send_control(processes_.control.get(), Type::kIdsMapped);
  return {};
}

// Runs while the child closes the sandbox around itself, and waits only for the mounts that the
// child has to make.
Status PreparedSandbox::make_view(const LauncherContext& launcher,
                                  const std::vector<MountEntry>& table, const MachineShare& share) {
  ASSIGN_OR_RETURN(View view, View::make(true));
  view_ = std::move(view);
  TRY(place_all(*view_, table, identity_, launcher.shared ? &*launcher.shared : nullptr));
  ASSIGN_OR_RETURN(const os::Fd proc, proc_of_sandbox());
  TRY(view_->place_tree("/proc", proc));
  moment_ = this_moment();
  ASSIGN_OR_RETURN(proc_names_,
                   ProcNames::show(view_->root(), true, proc_files(share, moment_),
                                   launcher.shared ? &launcher.shared->proc() : nullptr));
  ASSIGN_OR_RETURN(const ControlMessage terminals, expect(Type::kTerminals));
  TRY(view_->place_tree("/dev/pts", terminals.fd));
  send_control(processes_.control.get(), Type::kView, 0, 0, {}, view_->root());
  return {};
}

Result<os::Fd> PreparedSandbox::proc_of_sandbox() {
  if (in_empty_root_) return new_proc_of(processes_.pid);
  ASSIGN_OR_RETURN(ControlMessage proc, expect(Type::kProc));
  return std::move(proc.fd);
}

// Returns once the kernel has accepted every step of the child, and the child waits for its order.
Status PreparedSandbox::wait_until_closed() {
  ASSIGN_OR_RETURN(ControlMessage message, expect(Type::kListener));
  processes_.listener = std::move(message.fd);
  return {};
}

Result<ControlMessage> PreparedSandbox::expect(ControlMessage::Type type) {
  pollfd said{processes_.control.get(), POLLIN, 0};
  if (poll(&said, 1, kSetupMs) == 0) return setup_failed("setting up took more than 30 seconds");
  auto message = receive_control(processes_.control.get());
  if (!message) return setup_failed("the sandbox ended before the command started");
  if (message->type == Type::kNoLoopback) {
    loopback_ = setup_failed(message->text);
    return expect(type);
  }
  if (message->type == Type::kFailed) return setup_failed(message->text);
  if (message->type != type)
    return setup_failed(cat("the sandbox answered out of turn: ", static_cast<char>(message->type),
                            " ", message->number, ", not ", static_cast<char>(type)));
  return std::move(*message);
}

}  // namespace paddock::sandbox
