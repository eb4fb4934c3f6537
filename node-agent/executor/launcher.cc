#include "node-agent/executor/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "common/base/log.h"
#include "common/base/suspension.h"
#include "common/base/text.h"
#include "common/contracts/etc_names.h"
#include "common/os/file.h"
#include "common/os/lock_holder.h"

namespace paddock::executor {
namespace {

constexpr Millis kGrace{15'000};       // of the launcher, beyond that of its command
constexpr Millis kLastGrace{60'000};   // of one that was woken behind its time, until it is killed
constexpr Millis kBeginTime{120'000};  // of a launcher, until its command begins; a second mostly
constexpr int kPollMs = 1'000;         // in case a wake-up is missed
constexpr int kBlindPollMs = 100;      // when the launcher's identity is unknown

bool running(const LauncherProcess& process, const LaunchFiles& files) {
  return process.identity ? os::alive(*process.identity) : os::LockFile::held(files.events);
}

// Whether it was sent.
bool signal_launcher(const LauncherProcess& process, int signal) {
  if (!process.identity) return false;
  const Status sent = os::signal_process(*process.identity, signal);
  if (!sent) log_warn("a launcher could not be signalled", {{"error", sent.error().describe()}});
  return sent.ok();
}

// Passes a wish to stop on to the launcher, first politely.
class Ender {
 public:
  Ender(const LauncherProcess& process, Millis grace, const Clock& clock)
      : process_(process), grace_(grace), clock_(clock) {}
  void ask(StopKind wish) {
    if (wish == StopKind::kCancel) tell(SIGTERM, grace_);
    if (wish == StopKind::kKill || wish == StopKind::kForget) tell(SIGQUIT, Millis(0));
  }
  void insist() {
    if (insist_ && insist_->left(clock_.mono()) < Millis(0)) signal_launcher(process_, SIGKILL);
  }

 private:
  void tell(int signal, Millis grace) {
    if (std::exchange(told_, signal) == signal) return;
    insist_.emplace(grace + kGrace, clock_.mono());
    signal_launcher(process_, signal);
    signal_launcher(process_, SIGCONT);  // one that was stopped hears it only then
  }
  const LauncherProcess& process_;
  const Millis grace_;
  const Clock& clock_;
  int told_ = 0;
  std::optional<LivedDeadline> insist_;  // the launcher may have stood still with this process
};

// Keeps the time of a command whose launcher does not: it gives the launcher a while more for its
// result, wakes it, and kills it in the end. The same with one that never begins a command.
class OutsideKeeper {
 public:
  OutsideKeeper(const LauncherProcess& process, const LaunchTimes& times, const Clock& clock)
      : process_(process), times_(times), clock_(clock) {}
  void look(Heard heard) {
    if (std::exchange(heard_, heard) != heard) {
      due_.reset();
      woken_ = false;
    }
    const std::optional<Millis> time = time_of(heard);
    if (!time) return;
    const MonoTime now = clock_.mono();
    if (!due_) due_.emplace(*time, now);
    if (due_->left(now) > Millis(0)) return;
    if (!std::exchange(woken_, true)) {
      due_.emplace(times_.grace + kLastGrace, now);
      signal_launcher(process_, SIGCONT);
    } else {
      killed_ = signal_launcher(process_, SIGKILL) || killed_;
    }
  }
  bool killed() const { return killed_; }

 private:
  std::optional<Millis> time_of(Heard heard) const {
    if (heard == Heard::kNothing) return kBeginTime;
    if (!times_.wall_time) return std::nullopt;
    return *times_.wall_time + times_.grace + kGrace;
  }
  const LauncherProcess& process_;
  const LaunchTimes times_;
  const Clock& clock_;
  Heard heard_ = Heard::kNothing;
  bool woken_ = false;
  bool killed_ = false;
  std::optional<LivedDeadline> due_;  // what stood still with this process gets its time back
};

}  // namespace

LaunchFiles LaunchFiles::in(const RunFolder& folder) {
  return {folder.file("events"), folder.file("launcher.log")};
}

std::map<std::string, std::string> launcher_environment() {
  std::map<std::string, std::string> out = {
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}};
  if (const char* names = std::getenv(contracts::kEtcVariable))
    out[contracts::kEtcVariable] = names;
  return out;
}

Result<LauncherProcess> start_launcher(const std::string& program, const LaunchFiles& files,
                                       int request) {
  const os::Fd log(::open(files.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return system_error("opening the launcher's log", errno);
  os::SpawnOptions options;
  options.argv = {program,    "run",        "--request", cat("/dev/fd/", request),
                  "--events", files.events, "--lock",    files.events};
  options.keep_fds = {request};
  // macOS's launcher makes the run's scratch folder there, which then goes with the run's own.
  options.env = launcher_environment();
  options.env["TMPDIR"] = os::folder_of(files.events);
  options.stdout_fd = log.get();
  options.stderr_fd = log.get();
  options.new_session = true;
  const auto pid = os::spawn(options);
  if (!pid) {
    return Error{Code::kInternal, "SANDBOX_UNAVAILABLE",
                 "the node could not start its sandbox launcher"}
        .within(pid.error().describe());
  }
  const auto identity = os::identify(*pid);
  if (!identity) return LauncherProcess{os::ProcessIdentity{.pid = *pid}, true};  // gone already
  return LauncherProcess{identity, true};
}

// The oldest: what it forked may have inherited the lock for a moment.
std::optional<os::ProcessIdentity> find_lock_holder(const std::string& lock, pid_t expected) {
  if (!os::LockFile::held(lock)) return std::nullopt;
  if (os::holds_lock(expected, lock)) return os::identify(expected);
  std::optional<os::ProcessIdentity> oldest;
  for (const pid_t pid : os::lock_holders(lock)) {
    const auto identity = pid == ::getpid() ? std::nullopt : os::identify(pid);
    if (identity && (!oldest || identity->start_ticks < oldest->start_ticks)) oldest = identity;
  }
  return oldest;
}

Heard heard_in(const OutputState& state) {
  if (state.result) return Heard::kResult;
  return state.started_ms ? Heard::kStart : Heard::kNothing;
}

std::optional<Millis> wall_time_of(const contracts::SandboxPolicy& policy) {
  if (!policy.limits.wall_time) return std::nullopt;
  return policy.limits.wall_time->value;
}

FollowEnd follow_launcher(const LauncherProcess& process, const LaunchFiles& files,
                          StopSignal& stop, const LaunchTimes& times, const Clock& clock,
                          std::optional<os::FileWatch>& watch,
                          const std::function<Heard()>& read_events) {
  (void)watch.emplace().add_file(files.events);
  const os::Fd exit = process.identity ? os::exit_of(*process.identity) : os::Fd();
  Ender ender(process, times.grace, clock);
  OutsideKeeper keeper(process, times, clock);
  while (true) {
    // Looked at before reading: what was written before the end is then seen in this round.
    const bool alive = running(process, files);
    const Heard heard = read_events();
    if (heard == Heard::kResult) return FollowEnd::kResult;
    if (!alive) return keeper.killed() ? FollowEnd::kOverdue : FollowEnd::kGone;
    if (stop.kind() == StopKind::kDetach) return FollowEnd::kDetached;
    ender.ask(stop.kind());
    ender.insist();
    keeper.look(heard);
    std::array<pollfd, 3> fds = {pollfd{watch->fd(), POLLIN, 0}, pollfd{exit.get(), POLLIN, 0},
                                 pollfd{stop.fd(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), exit.valid() ? kPollMs : kBlindPollMs);
    if (watch->valid()) watch->take_news();
    stop.acknowledge();
  }
}

std::optional<int> reap_launcher(const LauncherProcess& process) {
  if (!process.identity) return std::nullopt;
  const auto grace = static_cast<int>(kGrace.count());
  if (!os::wait_gone(*process.identity, grace)) {
    signal_launcher(process, SIGKILL);
    (void)os::wait_gone(*process.identity, grace);
  }
  if (!process.is_child) return std::nullopt;
  int status = 0;
  pid_t reaped = -1;
  do {
    reaped = ::waitpid(process.identity->pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0 || !WIFEXITED(status)) return std::nullopt;
  return WEXITSTATUS(status);
}

void end_leftover(const std::string& lock) {
  const auto holder = find_lock_holder(lock);
  if (!holder) return;
  const LauncherProcess process{holder, false};
  signal_launcher(process, SIGTERM);  // also a server's
  signal_launcher(process, SIGQUIT);
  reap_launcher(process);
}

}  // namespace paddock::executor
