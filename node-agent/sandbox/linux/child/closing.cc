#include "node-agent/sandbox/linux/child/closing.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <utility>

#include "node-agent/sandbox/egress/host_name.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/child/privileges.h"
#include "node-agent/sandbox/linux/egress/broker_process.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/filesystem/proc_names.h"
#include "node-agent/sandbox/linux/filesystem/root.h"
#include "node-agent/sandbox/linux/filesystem/sources.h"
#include "node-agent/sandbox/linux/filesystem/view.h"
#include "node-agent/sandbox/linux/kernel/landlock.h"
#include "node-agent/sandbox/linux/kernel/loopback.h"
#include "node-agent/sandbox/linux/kernel/machine.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/kernel/socket_bounds.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

Status wait_for(int control, Type type) {
  const auto message = receive_control(control);
  if (!message || message->type != type) return step_error("waiting for the launcher", EPIPE);
  return {};
}

Status join_cgroups(const Cgroup& cgroup) {
  for (const os::Fd& tasks : cgroup.join_fds()) {
    if (write(tasks.get(), "0", 1) != 1) return step_error("joining the cgroup", errno);
  }
  // In a cgroup namespace, the run's own cgroup looks like the root of the hierarchy.
  if (unshare(CLONE_NEWCGROUP) != 0) return step_error("making a cgroup namespace", errno);
  return {};
}

// Gives this sandbox a share of what the kernel counts per user. Without an own user, all sandboxes
// of a launcher are one user to the kernel. Where /proc/sys cannot be written, as in many
// containers, they all draw on the host's bound together.
void bound_shared_counters() {
  constexpr std::pair<const char*, std::string_view> kBounds[] = {
      {"/proc/sys/user/max_inotify_instances", "8"},
      {"/proc/sys/user/max_inotify_watches", "8192"}};
  for (const auto& [path, bound] : kBounds) {
    const os::Fd file(open(path, O_WRONLY | O_CLOEXEC));
    if (file.valid()) (void)!write(file.get(), bound.data(), bound.size());
  }
}

// From now on the launcher's death kills this process, and with it everything inside. If the
// launcher died before, the control socket shows it: the kernel closes descriptors before it sends
// signals.
Status die_with_launcher(int control) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return step_error("setting the death signal", errno);
  char byte = 0;
  const ssize_t n = recv(control, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
  if (n >= 0 || errno != EAGAIN) return step_error("the launcher is gone", EPIPE);
  return {};
}

Status name_host() {
  if (sethostname(kHostName.data(), kHostName.size()) != 0)
    return step_error("setting the host name", errno);
  return {};
}

// Reports a failure and goes on: the launcher decides whether the run goes on without the device.
void open_loopback(int control) {
  if (const Status up = bring_up_loopback(); !up.ok())
    send_control(control, Type::kNoLoopback, 0, 0, up.error().message);
}

Status close_around_self(const ChildContext& context) {
  TRY(wait_for(context.control, Type::kIdsMapped));
  if (context.user_lock < 0) bound_shared_counters();
  if (context.own_network) bound_socket_options();  // the launcher has bounded its own
  TRY(join_cgroups(context.cgroup));
  TRY(become_inside_user(context.privileged));
  TRY(die_with_launcher(context.control));
  if (context.broker_config != nullptr) TRY(connect_broker(*context.broker_config, context.broker));
  if (context.loopback) open_loopback(context.control);
  umask(022);
  return make_mounts_private();
}

Status make_own_view(ChildContext& context) {
  OwnView& own = *context.own_view;
  if (own.sources.empty()) {
    ASSIGN_OR_RETURN(own.sources, open_sources(own.plan.mounts, host_identity(own.plan)));
  }
  ASSIGN_OR_RETURN(View view, View::make(context.detached_trees));
  for (size_t i = 0; i < own.plan.mounts.size(); ++i)
    TRY(view.place(own.plan.mounts[i], own.sources[i]));
  own.sources.clear();
  ASSIGN_OR_RETURN(const ProcNames names,
                   ProcNames::show(view.root(), context.detached_trees,
                                   proc_files(own.plan.share, this_moment())));
  ASSIGN_OR_RETURN(context.view, view.finish());
  ASSIGN_OR_RETURN(context.ruleset, make_ruleset(own.plan.landlock, context.view.get()));
  return leave_host();
}

// Only a process in the pid namespace can mount its /proc, unless the kernel is a newer one.
Status send_proc(const ChildContext& context) {
  ASSIGN_OR_RETURN(const os::Fd proc, new_proc());
  if (!send_control(context.control, Type::kProc, 0, 0, {}, proc.get()))
    return step_error("handing over /proc", errno);
  return {};
}

// Gets the view from the launcher, which makes all of it but two mounts at most. Terminals that are
// mounted from inside this user namespace cannot use up those that the kernel reserves for the
// host.
Status get_view(ChildContext& context) {
  if (!context.in_empty_root) TRY(send_proc(context));
  ASSIGN_OR_RETURN(const os::Fd terminals, new_terminals());
  if (!send_control(context.control, Type::kTerminals, 0, 0, {}, terminals.get()))
    return step_error("handing over the terminals", errno);
  if (!context.in_empty_root) TRY(leave_host());
  auto message = receive_control(context.control);
  if (!message || message->type != Type::kView) return step_error("waiting for the view", EPIPE);
  context.view = std::move(message->fd);
  return {};
}

}  // namespace

Status keep_only_needed(const ChildContext& context) {
  std::set<int> kept = {context.control, context.out, context.err, context.broker,
                        context.user_lock};
  for (const os::Fd& tasks : context.cgroup.join_fds()) kept.insert(tasks.get());
  if (context.own_view != nullptr) {
    for (const os::Fd& source : context.own_view->sources) kept.insert(source.get());
  }
  kept.erase(-1);
  unsigned from = 0;
  for (const int fd : kept) {
    const auto next = static_cast<unsigned>(fd);
    if (next > from && raw::close_range(from, next - 1) != 0)
      return step_error("closing descriptors", errno, "Linux 5.9 or later is needed");
    from = next + 1;
  }
  if (raw::close_range(from, ~0u) != 0) return step_error("closing descriptors", errno);
  return {};
}

Status close_sandbox(ChildContext& context) {
  TRY(close_around_self(context));
  TRY(context.own_view != nullptr ? make_own_view(context) : get_view(context));
  return name_host();
}

}  // namespace paddock::sandbox
