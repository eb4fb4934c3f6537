// The init process of one sandbox, pid 1 in its pid namespace: its command and further ones, and
// the end of all. What comes before them: closing.h.
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <iterator>

#include "node-agent/sandbox/linux/child/child.h"
#include "node-agent/sandbox/linux/child/closing.h"
#include "node-agent/sandbox/linux/child/command.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/child/exec_keeper.h"
#include "node-agent/sandbox/linux/child/privileges.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

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
// times, so that none is missed. The command has not been reaped yet, so its pid is its own.
void wait_for_news(pid_t command, ChildContext& context, bool& launcher_talks) {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  sigdelset(&mask, SIGCHLD);
  pollfd said{launcher_talks ? kInitControl : -1, POLLIN, 0};
  if (ppoll(&said, 1, nullptr, &mask) <= 0) return;
  auto message = receive_control(kInitControl, false);
  if (!message && errno != EAGAIN) launcher_talks = false;
  if (message && message->type == Type::kExec && message->fd.valid())
    start_exec(context, std::move(message->fd));
  if (message && message->type == Type::kSignal) kill(command, message->number);
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
    if (pid == 0) wait_for_news(command, context, launcher_talks);
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

int command_process(void* context) { run_command(*static_cast<ChildContext*>(context)); }

// Starts the command's process, which uses init's memory until it executes or ends; init stands
// still meanwhile, and returns then. Copying the page tables would cost more than everything that
// the process does before. vfork() would do the same, but its parent waits in a sleep that counts
// in the host's load average, and a prepared sandbox waits here until somebody has an order for it.
pid_t start_command(ChildContext& context) {
  constexpr size_t kStack = 512 << 10;  // a part is touched, so a part is there
  void* const stack =
      mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  static pid_t in_memory = 0;  // the kernel sets it, and clears it once the memory is init's again
  const pid_t command = clone(command_process, static_cast<char*>(stack) + kStack,
                              CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD,
                              &context, &in_memory, nullptr, &in_memory);
  const std::atomic_ref<pid_t> user(in_memory);
  for (pid_t now = 0; command > 0 && (now = user.load()) != 0;)
    syscall(SYS_futex, &in_memory, FUTEX_WAIT, now, nullptr, nullptr, 0);
  return command;
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
  if (const Status built = close_sandbox(context); !built.ok()) fail(built.error());
  const pid_t command = start_command(context);
  if (command < 0) fail(step_error("starting the command's process", errno));
  prctl(PR_SET_DUMPABLE, 0);  // the command's process made this memory dumpable
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
