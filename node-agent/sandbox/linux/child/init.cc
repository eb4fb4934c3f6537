// The init process of one sandbox, pid 1 in its pid namespace.
#include <errno.h>
#include <fcntl.h>
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
  // From here on the run's own cgroup looks like the root of the hierarchy.
  if (unshare(CLONE_NEWCGROUP) != 0) return step_error("making a cgroup namespace", errno);
  return {};
}

// What the kernel counts for the user that made this namespace, who makes others too: a share of it
// for this sandbox. Where /proc/sys cannot be written, as in many containers, all
// sandboxes together have what the host's own bound gives them.
void bound_shared_counters() {
  constexpr std::pair<const char*, std::string_view> kBounds[] = {
      {"/proc/sys/user/max_inotify_instances", "8"},
      {"/proc/sys/user/max_inotify_watches", "8192"}};
  for (const auto& [path, bound] : kBounds) {
    const os::Fd file(open(path, O_WRONLY | O_CLOEXEC));
    if (file.valid()) (void)!write(file.get(), bound.data(), bound.size());
  }
}

// The launcher's death kills this process, and with it everything inside. A launcher that died
// before the signal was set has closed its end by then: the kernel closes first and signals after.
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

// It may wait for long, and has nothing to do with what else the launcher holds.
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

// Whether the run goes on without is the launcher's to say.
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

// Only this process can make the /proc of its pid namespace, and only from here do terminals leave
// the host those that it keeps for itself. The launcher makes the rest.
Status get_view(ChildContext& context) {
  ASSIGN_OR_RETURN(const os::Fd proc, new_proc());
  if (!send_control(context.control, Type::kProc, 0, 0, {}, proc.get()))
    return step_error("handing over /proc", errno);
  ASSIGN_OR_RETURN(const os::Fd terminals, new_terminals());
  if (!send_control(context.control, Type::kTerminals, 0, 0, {}, terminals.get()))
    return step_error("handing over the terminals", errno);
  TRY(leave_host());
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

volatile sig_atomic_t told_to_end = 0;  // and so all others have a grace

// The launcher's SIGTERM is for every process inside. One from inside, which shows its sender, is
// not handed on: none of them can end the others' grace. Stopped ones are woken to see it.
void hand_on(int, siginfo_t* info, void*) {
  if (info->si_code != SI_USER || info->si_pid != 0) return;
  const int saved = errno;
  told_to_end = 1;
  kill(-1, SIGTERM);
  kill(-1, SIGCONT);
  errno = saved;
}

// What came while nothing ran was for nobody: ignoring a signal discards one that waits.
void take_signals() {
  signal(SIGTERM, SIG_IGN);
  struct sigaction action {};
  action.sa_sigaction = hand_on;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTERM, &action, nullptr);
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_UNBLOCK, &term, nullptr);  // the launcher held it
}

constexpr int kInitControl = 3;  // where init keeps what it needs; the view is 4
constexpr int kScratch = 5;

// How the scratch space stands now, in the letters that the launcher knows; by the kernel's count.
// Nothing has to be opened for that: a command might have left no room for it.
std::string_view scratch_state() {
  struct statfs info {};
  if (fstatfs(kScratch, &info) != 0 || info.f_blocks == 0) return "";
  if (info.f_bavail == 0) return info.f_ffree == 0 ? "BF" : "B";
  return info.f_ffree == 0 && info.f_files > 0 ? "F" : "";
}

// Waits for the command, and for every orphan that the kernel hands over meanwhile.
// False: there is none.
bool reap_until_command_ends(pid_t command, int control) {
  for (;;) {
    int status = 0;
    rusage used{};
    const pid_t pid = wait4(-1, &status, 0, &used);
    if (pid < 0 && errno == EINTR) continue;
    if (pid != command && pid > 0) continue;
    if (pid < 0) return false;
    const auto ms = [](const timeval& t) { return int64_t{t.tv_sec} * 1000 + t.tv_usec / 1000; };
    send_control(control, Type::kEnded, status, ms(used.ru_utime) + ms(used.ru_stime),
                 scratch_state());
    return true;
  }
}

// A shell ends at SIGTERM at once, and what it had started may have work to save: that has the
// grace which the command had. The launcher ends it, and us.
void wait_for_others() {
  while (told_to_end != 0 && (wait4(-1, nullptr, 0, nullptr) > 0 || errno == EINTR)) {
  }
}

// The end of this process takes the kernel a while, and the launcher has a result to tell: while
// nobody else is left, it is the launcher that ends it, or says that it may go. Else its end is
// that of all others.
void wait_to_be_ended(int control) {
  pid_t left = 0;
  while ((left = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  if (left == 0 || errno != ECHILD) return;
  char byte = 0;
  while (recv(control, &byte, sizeof byte, 0) < 0 && errno == EINTR) {
  }
}

// The view stays open so that its mounts stay a tree: every use of one that is not in any costs a
// global lock. The user's lock says that there are processes of that user; the command has none.
int close_all_but(int control, int view, int user_lock) {
  constexpr int kAbove = 16;
  const int scratch = openat(view, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int kept[] = {control, view, scratch, user_lock};
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
  // In this memory until it execs, while we stand still: a copy would cost more than all it does.
  const pid_t command = vfork();  // NOLINT: single-threaded, no handler, and it never returns here
  if (command < 0) fail(step_error("starting the command's process", errno));
  if (command == 0) run_command(context);  // NOLINT: all of it is meant to run here
  prctl(PR_SET_DUMPABLE, 0);               // the command was, and with it this memory
  take_signals();
  const ChildContext::Command came_to = context.command;
  const int control = close_all_but(context.control, context.view.get(), context.user_lock);
  if (const Status dropped = drop_capabilities(); !dropped.ok()) {
    send_control(control, Type::kFailed, 0, 0, dropped.error().message);
    _exit(1);
  }
  const bool started = came_to == ChildContext::Command::kExecutes;
  if (started) send_control(control, Type::kStarted);
  if (came_to == ChildContext::Command::kPrepares)
    send_control(control, Type::kFailed, 0, 0, "the command's process ended before it executed");
  if (reap_until_command_ends(command, control) && started) {
    wait_for_others();
    wait_to_be_ended(control);
  }
  _exit(0);
}

}  // namespace paddock::sandbox
