#include "node-agent/sandbox/backend/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/os/packet_socket.h"
#include "common/os/process.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/host/request_facts.h"
#include "node-agent/sandbox/linux/kernel/loopback.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/kernel/socket_bounds.h"
#include "node-agent/sandbox/linux/launcher/huge_code.h"
#include "node-agent/sandbox/linux/launcher/prepared_sandbox.h"
#include "node-agent/sandbox/linux/launcher/serve_one.h"
#include "node-agent/sandbox/linux/launcher/serve_pace.h"
#include "node-agent/sandbox/linux/seccomp/filter.h"
#include "node-agent/sandbox/linux/users/user_namespace.h"

namespace paddock::sandbox {
namespace {

constexpr Millis kLookAround{5'000};  // how often the socket's file is looked for
constexpr Millis kFarewell{5'000};    // for waiting processes to leave, before they are killed

void say(const Error& error) {
  (void)os::write_all(STDERR_FILENO, cat("paddock-sandbox serve: ", error.describe(), "\n"));
}

// A network namespace, and its counters before any use. An ordinary user's server has none to lend.
struct EmptyNetwork {
  os::Fd fd;
  std::string books;
};

// Readable once the process that started this one has ended, even by SIGKILL. Not valid where it
// cannot be watched: the server then leaves when it was not used for long.
os::Fd watch_parent() {
  const auto parent = os::identify(getppid());
  return parent ? os::exit_of(*parent) : os::Fd();
}

struct Ready {
  bool taken = false;
  EmptyNetwork network;          // the namespace that it was forked in
  std::optional<HostUser> user;  // the host user of its sandbox
};

class Server {
 public:
  Server(const ServeOptions& options, std::optional<os::LockFile> lock, const Clock& clock)
      : options_(options),
        lock_(std::move(lock)),
        clock_(clock),
        pace_(options.ready, clock.mono()),
        look_at_(clock.mono() + kLookAround) {}
  Status set_up();
  // Serves until a signal comes, its parent has ended, or it was not used for long.
  void run();

 private:
  void refresh_shared_view();
  void make_empty_root();
  Status take_base_filter();
  Status enter_network(EmptyNetwork& out);
  void choose_user();
  void refill();
  Status make_ready();
  void forget_server();
  void wait_for_something();
  void note_taken();
  void note_ended();
  bool still_listening() const;
  void end_ready();
  int wait_ms() const;

  const ServeOptions& options_;
  std::optional<os::LockFile> lock_;
  const Clock& clock_;
  LauncherContext launcher_;
  os::Fd mounts_;  // watch_mounts(), opened before the shared view was made
  os::Fd listener_;
  struct stat socket_ {};
  os::Fd signals_;
  os::Fd parent_;  // watch_parent()
  os::Pipe taken_;
  std::map<pid_t, Ready> processes_;
  std::vector<EmptyNetwork> networks_;  // free to be lent again
  std::vector<HostUser> users_;         // free to be lent again
  ServePace pace_;
  MonoTime look_at_;
  bool leave_ = false;
};

Status Server::set_up() {
  parent_ = watch_parent();
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signals_.reset(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  ASSIGN_OR_RETURN(taken_, os::make_pipe());
  if (fcntl(taken_.read.get(), F_SETFL, O_NONBLOCK) != 0)
    return system_error("the server's pipe", errno);
  ASSIGN_OR_RETURN(launcher_, make_launcher_context({.judge_exec = options_.judge_exec,
                                                     .hold_exit = options_.hold_exit}));
  if (options_.hold_exit) launcher_.host.cgroup.freezer.clear();  // short code has no workspace
  launcher_.host.standing_tools = options_.tools;
  refresh_shared_view();
  if (launcher_.host.privileged && !launcher_.user) {
    ASSIGN_OR_RETURN(launcher_.root_mapping,
                     make_mapping_namespace({0, 0, kDefaultHostId, kDefaultHostId}));
  }
  make_empty_root();
  TRY(take_base_filter());
  ASSIGN_OR_RETURN(listener_, os::listen_packets(options_.socket));
  if (stat(options_.socket.c_str(), &socket_) != 0) return system_error("the socket", errno);
  return {};
}

// Makes the shared view anew if the host's mounts have changed. Without one, each run makes its
// whole view itself.
void Server::refresh_shared_view() {
  if (!launcher_makes_views(launcher_.host)) return launcher_.host.standing_tools.clear();
  launcher_.mounts = watch_mounts();  // for the next process alone; opened before the check
  if (launcher_.shared && !mounts_have_changed(mounts_) && launcher_.shared->is_current()) return;
  launcher_.shared.reset();
  mounts_ = watch_mounts();
  if (!options_.tools.empty()) find_standing_tools(launcher_.host);
  auto made = SharedView::make(launcher_.host);
  if (!made.ok()) return say(made.error());
  launcher_.shared = std::move(*made);
}

// Makes the empty root. If that fails, each sandbox gets a copy of the host's mounts, and detaches
// it.
void Server::make_empty_root() {
  if (!launcher_makes_views(launcher_.host) || !kernel_makes_proc_of_others()) return;
  auto made = EmptyRoot::make();
  if (!made.ok()) return say(made.error());
  launcher_.empty_root.emplace(std::move(*made));
}

// The server takes the base filter itself, so that every process of every run inherits it.
Status Server::take_base_filter() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return step_error("no_new_privs", errno);
  TRY(install_filter(launcher_.filters.base));
  launcher_.filters.base.clear();
  return {};
}

// Enters an empty network namespace that no process uses: the next process is forked in it.
Status Server::enter_network(EmptyNetwork& out) {
  if (!launcher_.host.privileged) return {};
  if (!launcher_.in_empty_network) {
    launcher_.host_network.reset(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!launcher_.host_network.valid()) return step_error("opening the host's network", errno);
  }
  const bool used = !networks_.empty();
  if (used) {
    out = std::move(networks_.back());
    networks_.pop_back();
  } else {
    ASSIGN_OR_RETURN(out.fd, make_network_namespace());
  }
  if (setns(out.fd.get(), CLONE_NEWNET) != 0) return step_error("entering a network", errno);
  if (!used) {
    bound_socket_options();
    out.books = network_books();
  }
  launcher_.in_empty_network = true;
  launcher_.empty_network = out.books;
  return {};
}

// Chooses the host user of the next process's sandbox. A user may be lent again once no process of
// the run before is alive.
void Server::choose_user() {
  if (!launcher_.host.privileged) return;
  if (!users_.empty()) {
    give_user(launcher_, std::move(users_.back()));
    users_.pop_back();
    return;
  }
  auto taken = HostUser::take();
  if (taken.ok()) {
    if (const Status mapped = taken->make_mappings(); !mapped.ok()) taken = mapped.error();
  }
  give_user(launcher_, std::move(taken));
}

// Called in a ready process, which must hold nothing that belongs to the server or to another run.
void Server::forget_server() {
  lock_.reset();
  signals_.reset();
  parent_.reset();
  taken_.read.reset();
  networks_.clear();
  users_.clear();
  processes_.clear();
}

Status Server::make_ready() {
  Ready made;
  TRY(enter_network(made.network));
  choose_user();
  refresh_shared_view();
  const pid_t server = getpid();
  const pid_t pid = fork();
  if (pid < 0) return step_error("starting a ready process", errno);
  if (pid == 0) {
    forget_server();
    serve_one({launcher_, listener_.get(), taken_.write.get(), server}, clock_);
  }
  made.user = std::exchange(launcher_.user, std::nullopt);
  processes_[pid] = std::move(made);
  pace_.made();
  return {};
}

void Server::refill() {
  if (!pace_.wants_one(clock_.mono())) return;
  if (const Status made = make_ready(); !made.ok()) {
    say(made.error());
    pace_.failed_to_make(clock_.mono());
  }
}

void Server::note_taken() {
  pid_t pid = 0;
  while (read(taken_.read.get(), &pid, sizeof pid) == sizeof pid) {
    const auto found = processes_.find(pid);
    if (found == processes_.end() || found->second.taken) continue;
    found->second.taken = true;
    pace_.taken(clock_.mono());
  }
}

void Server::note_ended() {
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) leave_ = true;
  }
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    note_taken();  // it may have written its pid just before it ended
    auto node = processes_.extract(pid);
    if (node.empty()) continue;
    if (!node.mapped().taken) pace_.ended_unused(clock_.mono());
    const bool clean = WIFEXITED(status) && WEXITSTATUS(status) == kCleanExit;
    if (!clean) sweep_stale_cgroups(launcher_.host.cgroup);  // it may have been killed
    // A process that exits has reaped its sandbox. One that was killed has not: processes of its
    // sandbox may still be dying, so its user is not lent again.
    if (WIFEXITED(status) && node.mapped().user) users_.push_back(std::move(*node.mapped().user));
    if (clean && node.mapped().network.fd.valid())
      networks_.push_back(std::move(node.mapped().network));
  }
}

bool Server::still_listening() const {
  struct stat now {};
  return stat(options_.socket.c_str(), &now) == 0 && now.st_dev == socket_.st_dev &&
         now.st_ino == socket_.st_ino;
}

// Sandboxes that wait for an order learn that none will come; one that has its order goes on.
void Server::end_ready() {
  shutdown(listener_.get(), SHUT_RDWR);
  const MonoTime until = clock_.mono() + kFarewell;
  while (pace_.ready() > 0 && clock_.mono() < until) wait_for_something();
}

int Server::wait_ms() const {
  const Millis wait = pace_.next(look_at_) - clock_.mono();
  return static_cast<int>(std::clamp<int64_t>(wait.count(), 0, kLookAround.count()));
}

void Server::wait_for_something() {
  // Once the parent's end is known, it is not watched any more: it would end each wait at once.
  std::array<pollfd, 3> fds = {{{signals_.get(), POLLIN, 0},
                                {taken_.read.get(), POLLIN, 0},
                                {leave_ ? -1 : parent_.get(), POLLIN, 0}}};
  poll(fds.data(), fds.size(), wait_ms());
  if (fds[1].revents != 0) note_taken();
  if (fds[0].revents != 0) note_ended();
  if (fds[2].revents != 0) leave_ = true;
}

void Server::run() {
  while (!leave_) {
    refill();
    wait_for_something();
    const MonoTime now = clock_.mono();
    if (now < look_at_) continue;
    look_at_ = now + kLookAround;
    const bool in_use = processes_.size() > static_cast<size_t>(pace_.ready());
    if (!still_listening() || (!in_use && pace_.unused_for_long(now))) leave_ = true;
  }
  if (still_listening()) unlink(options_.socket.c_str());
  end_ready();
}

}  // namespace

int serve(const ServeOptions& options, const Clock& clock) {
  std::optional<os::LockFile> lock;
  if (!options.lock.empty()) {
    auto acquired = os::LockFile::acquire(options.lock);
    if (!acquired.ok()) {
      say(acquired.error());
      return acquired.error().reason == "LOCK_HELD" ? 3 : 1;
    }
    lock = std::move(acquired).value();
  }
  move_code_to_huge_pages();
  Server server(options, std::move(lock), clock);
  if (const Status ready = server.set_up(); !ready.ok()) {
    say(ready.error());
    return 1;
  }
  server.run();
  return 0;
}

}  // namespace paddock::sandbox
