// The init process of one sandbox, pid 1 in its pid namespace.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <set>
#include <utility>

#include "node-agent/sandbox/linux/child/child.h"
#include "node-agent/sandbox/linux/child/command.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/child/exec_keeper.h"
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
  constexpr std::string_view kName = "sandbox";
  if (sethostname(kName.data(), kName.size()) != 0)
    return step_error("setting the host name", errno);
  return {};
}

// Closes everything else that was inherited: a sandbox may wait for long, and must not hold open
// what belongs to the launcher.
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

// Reports a failure and goes on: the launcher decides whether the run goes on without the device.
void open_loopback(int control) {
  if (const Status up = bring_up_loopback(); !up.ok())
    send_control(control, Type::kNoLoopback, 0, 0, up.error().message);
}

Status close_around_self(const ChildContext& context) {
  TRY(wait_for(context.control, Type::kIdsMapped));
  if (context.user_lock < 0) bound_shared_counters();
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

Status build(ChildContext& context) {
  TRY(close_around_self(context));
  TRY(context.own_view != nullptr ? make_own_view(context) : get_view(context));
  return name_host();
}

volatile sig_atomic_t told_to_end = 0;  // the launcher's SIGTERM came: a grace has begun

// Passes the launcher's SIGTERM on to every process inside, and wakes those that are stopped. A
// signal whose sender has a pid in this namespace came from inside and is dropped, so that no
// process can end the others' work.
void hand_on(int, siginfo_t* info, void*) {
  if (info->si_code != SI_USER || info->si_pid != 0) return;
  const int saved = errno;
  told_to_end = 1;
  kill(-1, SIGTERM);
  kill(-1, SIGCONT);
  errno = saved;
}

// Handles SIGTERM from now on. One that is pending came before anything ran and was meant for no
// process; ignoring the signal for a moment discards it.
void take_signals() {
  signal(SIGTERM, SIG_IGN);
  struct sigaction action {};
  action.sa_sigaction = hand_on;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTERM, &action, nullptr);
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_UNBLOCK, &term, nullptr);  // the launcher had blocked it
}

// The descriptors that init keeps.
constexpr int kInitControl = 3;
constexpr int kView = 4;
constexpr int kScratch = 5;
constexpr int kRuleset = 7;  // 6 is the user's lock

// Says in letters whether the scratch space is full: B for no bytes left, F for no files left (see
// ControlMessage). It asks the kernel about a descriptor that is open already, because the command
// may have left no room to open another one.
std::string_view scratch_state() {
  struct statfs info {};
  if (fstatfs(kScratch, &info) != 0 || info.f_blocks == 0) return "";
  if (info.f_bavail == 0) return info.f_ffree == 0 ? "BF" : "B";
  return info.f_ffree == 0 && info.f_files > 0 ? "F" : "";
}

// Starts a further command in this sandbox. Whatever becomes of it is told on its own talk.
void start_exec(ChildContext& context, os::Fd control) {
  const pid_t keeper = fork();
  if (keeper == 0) {
    close(kInitControl);  // that is init's own
    run_keeper(context, std::move(control));
  }
  if (keeper > 0) return;
  send_control(control.get(), Type::kFailed, errno, 0,
               step_error("starting another process", errno).message);
}

// Waits for the end of a child or for a word of the launcher. SIGCHLD is blocked at all other
// times, so that none is missed.
void wait_for_news(ChildContext& context, bool& launcher_talks) {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  sigdelset(&mask, SIGCHLD);
  pollfd said{launcher_talks ? kInitControl : -1, POLLIN, 0};
  if (ppoll(&said, 1, nullptr, &mask) <= 0) return;
  auto message = receive_control(kInitControl, false);
  if (!message && errno != EAGAIN) launcher_talks = false;
  if (message && message->type == Type::kExec && message->fd.valid())
    start_exec(context, std::move(message->fd));
}

void end_wait(int) {}

void hold_child_signals() {
  struct sigaction action {};
  action.sa_handler = end_wait;
  sigaction(SIGCHLD, &action, nullptr);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
}

// Reaps every orphan that the kernel hands over until the command itself ends, and reports that.
// Meanwhile it starts further commands. Returns false if there is no command.
bool reap_until_command_ends(pid_t command, ChildContext& context, int control) {
  hold_child_signals();
  bool launcher_talks = true;
  for (;;) {
    int status = 0;
    rusage used{};
    const pid_t pid = wait4(-1, &status, WNOHANG, &used);
    if (pid == 0) wait_for_news(context, launcher_talks);
    if (pid == 0 || (pid < 0 && errno == EINTR)) continue;
    if (pid != command && pid > 0) continue;
    if (pid < 0) return false;
    const auto ms = [](const timeval& t) { return int64_t{t.tv_sec} * 1000 + t.tv_usec / 1000; };
    send_control(control, Type::kEnded, status, ms(used.ru_utime) + ms(used.ru_stime),
                 scratch_state());
    return true;
  }
}

// After a SIGTERM, waits for the processes that the command has started. A shell ends at once,
// while its children may have work to save: they keep the grace that the command had. The launcher
// kills them when it is over, and init with them.
void wait_for_others() {
  while (told_to_end != 0 && (wait4(-1, nullptr, 0, nullptr) > 0 || errno == EINTR)) {
  }
}

// If no other process is left, waits until the launcher kills init or closes its end of the control
// socket. Ending init keeps the kernel busy for a while, and the launcher wants to send the result
// first. If other processes are left, init ends at once, because its end kills them all.
void wait_to_be_ended(int control) {
  pid_t left = 0;
  while ((left = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  if (left == 0 || errno != ECHILD) return;
  char byte = 0;
  while (recv(control, &byte, sizeof byte, 0) < 0 && errno == EINTR) {
  }
}

// Closes everything but five descriptors. The view stays open because its mounts then stay a tree:
// the kernel takes a global lock for each use of a mount that is in no tree. The user's lock stays
// open to say that this user still has processes; the command does not inherit it.
int close_all_but(int control, int view, int user_lock, int ruleset) {
  constexpr int kAbove = 16;
  const int scratch = openat(view, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int kept[] = {control, view, scratch, user_lock, ruleset};
  int moved[std::size(kept)] = {};
  for (size_t i = 0; i < std::size(kept); ++i)
    moved[i] = kept[i] < 0 ? -1 : fcntl(kept[i], F_DUPFD_CLOEXEC, kAbove);
  raw::close_range(0, kAbove - 1);
  for (int i = 0; i < static_cast<int>(std::size(kept)); ++i)
    if (moved[i] >= 0) dup3(moved[i], kInitControl + i, O_CLOEXEC);
  raw::close_range(kInitControl + static_cast<unsigned>(std::size(kept)), ~0u);
  return kInitControl;
}

}  // namespace

uint64_t init_namespaces(bool inherits_network) {
  constexpr uint64_t kAlways =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  return inherits_network ? kAlways : kAlways | CLONE_NEWNET;
}

[[noreturn]] void run_init(ChildContext& context) {
  const auto fail = [&](const Error& error) {
    send_control(context.control, Type::kFailed, 0, 0, error.message);
    _exit(1);
  };
  if (const Status kept = keep_only_needed(context); !kept.ok()) fail(kept.error());
  if (const Status built = build(context); !built.ok()) fail(built.error());
  // The command's process uses init's memory until it executes, and init stands still meanwhile.
  // Copying the page tables would cost more than everything that the process does before.
  const pid_t command = vfork();  // NOLINT: single-threaded, no handler, and it never returns here
  if (command < 0) fail(step_error("starting the command's process", errno));
  if (command == 0) run_command(context);  // NOLINT: all of it is meant to run here
  prctl(PR_SET_DUMPABLE, 0);               // the command's process made this memory dumpable
  take_signals();
  const ChildContext::Command came_to = context.command;
  const bool has_ruleset = context.ruleset.valid();
  const int control = close_all_but(context.control, context.view.release(), context.user_lock,
                                    context.ruleset.release());
  context.view.reset(kView);
  if (has_ruleset) context.ruleset.reset(kRuleset);
  if (const Status dropped = drop_capabilities(); !dropped.ok()) {
    send_control(control, Type::kFailed, 0, 0, dropped.error().message);
    _exit(1);
  }
  const bool started = came_to == ChildContext::Command::kExecutes;
  if (started) send_control(control, Type::kStarted);
  if (came_to == ChildContext::Command::kPrepares)
    send_control(control, Type::kFailed, 0, 0, "the command's process ended before it executed");
  if (reap_until_command_ends(command, context, control) && started) {
    wait_for_others();
    wait_to_be_ended(control);
  }
  _exit(0);
}

}  // namespace paddock::sandbox
