#include "node-agent/sandbox/linux/child/exec_keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/os/proc_text.h"
#include "node-agent/sandbox/linux/child/command.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/kernel/landlock.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

constexpr const char* kRunsCommand = "proc/2/ns/user";  // the first process that init has started
constexpr int kKillAgainMs = 100;

void stop_waiting(int) {}

// SIGCHLD ends a wait, and nothing else. SIGTERM, which init hands on to all processes, is for the
// command and not for its keeper.
void hold_keeper_signals() {
  signal(SIGTERM, SIG_DFL);
  struct sigaction action {};
  action.sa_handler = stop_waiting;
  sigaction(SIGCHLD, &action, nullptr);
  sigset_t held;
  sigemptyset(&held);
  for (const int each : {SIGTERM, SIGCHLD}) sigaddset(&held, each);
  sigprocmask(SIG_BLOCK, &held, nullptr);
}

Result<ControlMessage> receive_stream(int control, Type type) {
  auto message = receive_control(control);
  if (!message || message->type != type || !message->fd.valid())
    return step_error("waiting for the command's streams", EPIPE);
  return std::move(*message);
}

// The user namespace of the run's own command. Init's user owns it, so this process may enter it.
Result<os::Fd> open_users(int view) {
  os::Fd out(openat(view, kRunsCommand, O_RDONLY | O_CLOEXEC));
  if (!out.valid()) return step_error("opening the command's user namespace", errno);
  return out;
}

// The numbers behind the process's state in its `stat`; 0: it is gone.
struct Kin {
  pid_t parent = 0;
  pid_t group = 0;
};
Kin kin_of(int processes, const char* number) {
  const std::string text = os::proc_text(processes, cat(number, "/stat").c_str(), 4096);
  const size_t name_end = text.rfind(") ");  // the name may have anything in it
  if (name_end == std::string::npos) return {};
  const std::vector<std::string> fields = split(std::string_view(text).substr(name_end + 2), ' ');
  if (fields.size() < 3) return {};
  return {parse_integer<pid_t>(fields[1]).value_or(0), parse_integer<pid_t>(fields[2]).value_or(0)};
}

// Our own children cannot have been replaced by others: only we take note of their end. When one
// has died, its children are ours. With each its group: the command began a session of its own, so
// nobody else is in it, and what forks meanwhile does not get away.
void kill_children(int view) {
  const int folder = openat(view, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(fdopendir(folder), closedir);
  if (!processes) {
    close(folder);
    return;
  }
  const pid_t self = getpid();
  while (const dirent* entry = readdir(processes.get())) {
    const auto pid = parse_integer<pid_t>(entry->d_name);
    const Kin kin = pid ? kin_of(folder, entry->d_name) : Kin{};
    if (kin.parent != self) continue;
    kill(*pid, SIGKILL);
    if (kin.group > 1 && kin.group != getpgrp()) kill(-kin.group, SIGKILL);
  }
}

Millis time_of(const rusage& used) {
  const auto ms = [](const timeval& t) { return int64_t{t.tv_sec} * 1000 + t.tv_usec / 1000; };
  return Millis(ms(used.ru_utime) + ms(used.ru_stime));
}

class Keeper {
 public:
  // `apart`: this process can signal nothing but what is beneath it.
  Keeper(int control, int view, pid_t command, os::Fd executes, bool apart)
      : control_(control),
        view_(view),
        command_(command),
        executes_(std::move(executes)),
        apart_(apart) {}

  // Returns when nothing is left beneath this process.
  void keep() {
    while (reap()) {
      if (ending_) kill_all();
      wait();
    }
  }

 private:
  void kill_all() {
    // The kernel begins no process whose parent is killed meanwhile, so none is missed.
    if (!apart_ || (kill(-1, SIGKILL) != 0 && errno != ESRCH)) return kill_one_by_one();
    if (!std::exchange(told_, true)) send_control(control_, Type::kAllKilled);
  }

  // Until the command's process has executed, /proc does not show it even to its parent.
  void kill_one_by_one() const {
    if (command_ > 0) kill(command_, SIGKILL);
    kill_children(view_);
  }

  // False: there are no children.
  bool reap() {
    for (;;) {
      int status = 0;
      rusage used{};
      const pid_t pid = wait4(-1, &status, WNOHANG, &used);
      if (pid < 0 && errno != EINTR) return false;
      if (pid == 0) return true;
      if (pid == command_) note_end(status, used);
    }
  }

  void note_end(int status, const rusage& used) {
    note_start();
    send_control(control_, Type::kEnded, status, time_of(used).count());
    command_ = -1;
    ending_ = true;
  }

  // The launcher has heard before why it did not execute, if so.
  void note_start() {
    if (!executes_.valid()) return;
    executes_.reset();
    send_control(control_, Type::kStarted);
  }

  void wait() {
    sigset_t mask;
    sigprocmask(SIG_SETMASK, nullptr, &mask);
    sigdelset(&mask, SIGCHLD);
    // Until the command has executed, the launcher's messages are for the command's process.
    const short heard = executes_.valid() ? POLLRDHUP : POLLRDHUP | POLLIN;
    std::array<pollfd, 2> fds = {
        {{ending_ ? -1 : control_, heard, 0}, {executes_.get(), POLLIN, 0}}};
    const timespec again{0, kKillAgainMs * 1'000'000L};
    if (ppoll(fds.data(), fds.size(), ending_ ? &again : nullptr, &mask) <= 0) return;
    if (fds[1].revents != 0) note_start();
    if ((fds[0].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
      ending_ = true;
    } else if (fds[0].revents != 0) {
      hear();
    }
  }

  void hear() {
    const auto message = receive_control(control_, false);
    if (!message || message->type != Type::kTerminate || command_ < 0) return;
    // The command leads a group. A shell at a terminal ignores SIGTERM, but when SIGHUP says that
    // the terminal is gone it ends what it has started.
    if (message->number == 1) kill(-command_, SIGHUP);
    kill(-command_, SIGTERM);
    kill(-command_, SIGCONT);
  }

  const int control_;
  const int view_;
  pid_t command_;
  os::Fd executes_;  // closed by the command's process as soon as it executes, or ends
  const bool apart_;
  bool ending_ = false;
  bool told_ = false;  // that all are killed
};

// Whether the launcher has ended the command already: everything may have stood still meanwhile
// (cgroup freezer), and whoever asked for it was told that it does not run.
bool is_given_up(int talk) {
  pollfd heard{talk, POLLRDHUP, 0};
  return poll(&heard, 1, 0) > 0;
}

// From now on this process can signal only what it starts. False: this kernel knows no such rule.
Result<bool> stand_apart() {
  ASSIGN_OR_RETURN(const os::Fd ruleset, make_signal_ruleset());
  TRY(take_ruleset(ruleset));
  return ruleset.valid();
}

// Sets up the context of the command's process as for the run's own command, except that the user
// namespace exists already.
Result<os::Fd> fit_context(ChildContext& context, int talk) {
  ASSIGN_OR_RETURN(ControlMessage out, receive_stream(talk, Type::kOutput));
  ASSIGN_OR_RETURN(ControlMessage err, receive_stream(talk, Type::kErrors));
  ASSIGN_OR_RETURN(context.users, open_users(context.view.get()));
  ASSIGN_OR_RETURN(os::Pipe executes, os::make_pipe());
  context.control = talk;
  context.out = out.fd.release();
  context.err = err.fd.release();
  context.terminal = out.number;
  context.executing = std::move(executes.write);
  return std::move(executes.read);
}

}  // namespace

[[noreturn]] void run_keeper(ChildContext& context, os::Fd control) {
  hold_keeper_signals();
  const int talk = control.release();
  const auto fail = [&](const Error& error, int why) {
    send_control(talk, Type::kFailed, why, 0, error.message);
    _exit(1);
  };
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail(step_error("becoming a keeper", errno), 0);
  auto executes = fit_context(context, talk);
  if (!executes.ok()) fail(executes.error(), 0);
  const auto apart = stand_apart();
  if (!apart.ok()) fail(apart.error(), 0);
  if (is_given_up(talk)) _exit(0);
  // fork() and not vfork(): other processes are inside, and may stop the command's process, which
  // would stop this one too.
  const pid_t command = fork();
  if (command < 0) fail(step_error("starting the command's process", errno), errno);
  if (command == 0) run_command(context);
  close(context.out);
  close(context.err);
  context.users.reset();
  context.executing.reset();
  Keeper(talk, context.view.get(), command, std::move(*executes), *apart).keep();
  _exit(0);
}

}  // namespace paddock::sandbox
