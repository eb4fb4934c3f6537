#include "node-agent/sandbox/linux/launcher/time_keeper.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/contracts/launch.h"
#include "common/os/packet_socket.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr Millis kSetupTime{30'000};
constexpr Millis kCheckEvery{100};  // how often the cgroup's counters are read
// Of a longer pause of the keeper's, twice this counts as wall time.
constexpr Millis kWallLook{1'000};
constexpr Millis kKillAgainAfter{20};
constexpr Millis kCpuGrace{200};  // in a longer one it could compute far beyond its limit
constexpr Millis kLongest{60'000};
constexpr size_t kSignals = 0;
constexpr size_t kClient = 1;
constexpr size_t kReader = 2;

Millis grace_before_kill(EndCause cause, const SandboxPlan& plan) {
  switch (cause) {
    case EndCause::kCanceled:
      return plan.launcher.cancel_grace;
    case EndCause::kWallTime:
      return plan.launcher.limit_grace;
    case EndCause::kCpuTime:
      return std::min(plan.launcher.limit_grace, kCpuGrace);
    case EndCause::kNone:
    case EndCause::kDisk:
    case EndCause::kSockets:
    case EndCause::kSharedMemory:
    case EndCause::kLocks:
    case EndCause::kFolders:
    case EndCause::kOutOfMemory:  // the kernel has killed one of them already
      break;
  }
  return Millis(0);
}

int wait_ms(const std::optional<MonoTime>& until, MonoTime now) {
  const Millis wait = until ? *until - now : kLongest;
  return static_cast<int>(std::clamp<int64_t>(wait.count(), 0, kLongest.count()));
}

}  // namespace

TimeKeeper::TimeKeeper(const Timed& timed)
    : timed_(timed),
      awaited_({{{timed.signals, POLLIN, 0}, {timed.client, POLLIN, 0}, {timed.reader, 0, 0}}}),
      now_(timed.clock.mono()),
      setup_deadline_(now_ + kSetupTime),
      next_check_(now_ + kCheckEvery) {
  state_.waits = timed.waits;
}

TimeKeeper::Awaited TimeKeeper::waits_for() const {
  if (has_thread_) return {{{-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}}};
  const std::lock_guard hold(lock_);
  return awaited_;
}

std::optional<MonoTime> TimeKeeper::next() const {
  if (has_thread_) return std::nullopt;
  const std::lock_guard hold(lock_);
  return next_locked();
}

void TimeKeeper::handle(const Awaited& seen, MonoTime now) {
  if (has_thread_) return;
  const std::lock_guard hold(lock_);
  handle_locked(seen, now);
}

TimeKeeper::State TimeKeeper::state() const {
  const std::lock_guard hold(lock_);
  return state_;
}

void TimeKeeper::start_thread() {
  if (has_thread_) return;
  wake_.emplace();
  has_thread_ = wake_->valid() && pthread_create(&thread_, nullptr, keep, this) == 0;
}

void TimeKeeper::stop() {
  if (!has_thread_) return;
  {
    const std::lock_guard hold(lock_);
    stop_ = true;
  }
  wake();
  pthread_join(thread_, nullptr);
  has_thread_ = false;
}

void* TimeKeeper::keep(void* self) {
  static_cast<TimeKeeper*>(self)->keep_time();
  return nullptr;
}

// The thread: runs until stop(), or until init has ended and there is nothing left to kill.
void TimeKeeper::keep_time() {
  std::unique_lock hold(lock_);
  while (!stop_) {
    const int wait = wait_ms(next_locked(), timed_.clock.mono());
    std::array<pollfd, 5> fds = {{awaited_[0],
                                  awaited_[1],
                                  awaited_[2],
                                  {wake_->fd(), POLLIN, 0},
                                  {timed_.init, POLLIN, 0}}};
    hold.unlock();
    poll(fds.data(), fds.size(), wait);
    hold.lock();
    wake_->clear();
    if (fds[4].revents != 0) return;
    handle_locked({fds[0], fds[1], fds[2]}, timed_.clock.mono());
  }
}

void TimeKeeper::wake() const {
  if (has_thread_) wake_->raise();
}

void TimeKeeper::handle_locked(const Awaited& seen, MonoTime now) {
  now_ = now;
  if (seen[kSignals].revents != 0) hear_signal();
  if (seen[kClient].revents != 0) hear_client();
  if (seen[kReader].revents != 0) hear_reader();
  look(now);
}

bool TimeKeeper::note_started(MonoTime now) {
  const std::lock_guard hold(lock_);
  now_ = now;
  if (state_.cause != EndCause::kNone) return false;
  state_.started = now;
  if (!state_.waits && !wall_end_ && timed_.plan.launcher.wall_time)
    begin_wall_time(*timed_.plan.launcher.wall_time);
  wake();
  return true;
}

void TimeKeeper::note_ended(MonoTime now) {
  const std::lock_guard hold(lock_);
  ended_ = true;
  // Init's end makes the kernel kill what the command left behind; another kill soon after speeds
  // that up where there are many processes. In a grace, init waits for them until the grace is
  // over.
  if (!in_grace()) kill_at_ = now + kKillAgainAfter;
  wake();
}

void TimeKeeper::end(EndCause cause, MonoTime now) {
  const std::lock_guard hold(lock_);
  now_ = now;
  end_now(cause);
  wake();
}

void TimeKeeper::hear_signal() {
  signalfd_siginfo info{};
  if (read(timed_.signals, &info, sizeof info) != sizeof info) return;
  end_now(EndCause::kCanceled);
  if (info.ssi_signo == SIGQUIT) kill_everything();
}

// The client of an attached run sends one packet when the run begins, and ends the run by hanging
// up.
void TimeKeeper::hear_client() {
  const auto packet = os::receive_packet(timed_.client);
  const auto begun = packet.ok() ? contracts::begun(packet->bytes) : std::nullopt;
  if (!state_.waits || !begun) {
    end_now(EndCause::kCanceled);
    awaited_[kClient].fd = -1;
    return;
  }
  state_.waits = false;
  begin_wall_time(
      std::min(begun->wall_time, timed_.plan.launcher.wall_time.value_or(begun->wall_time)));
  if (state_.started) state_.started = now_;
  next_check_ = now_ + kCheckEvery;
}

// The reader of the events is gone, so nobody can learn what the run still does: there is no grace.
void TimeKeeper::hear_reader() {
  awaited_[kReader].fd = -1;
  note_cause(EndCause::kCanceled);
  kill_everything();
}

std::optional<MonoTime> TimeKeeper::next_locked() const {
  std::optional<MonoTime> until;
  const auto at = [&](const std::optional<MonoTime>& time) {
    if (time && (!until || *time < *until)) until = *time;
  };
  const SandboxPlan& plan = timed_.plan;
  at(kill_at_);
  const bool ends = told_ || state_.killed;
  if (!state_.started && !ends) at(setup_deadline_);
  if (state_.started && wall_end_ && !ends) at(next_wall_look_);
  const bool counts = plan.cgroup.memory_bytes || (plan.cpu_time && plan.cgroup.cpu_accounting);
  if (counts && state_.started && !state_.waits) at(next_check_);
  return until;
}

void TimeKeeper::look(MonoTime now) {
  if (!state_.started && now >= setup_deadline_ && !state_.killed) {
    state_.late = true;
    end_now(EndCause::kNone);
  }
  look_at_wall_time(now);
  if (kill_at_ && now >= *kill_at_) kill_everything();
  if (now < next_check_ || !state_.started) return;
  next_check_ = now + kCheckEvery;
  look_at_counts();
}

void TimeKeeper::begin_wall_time(Millis limit) {
  wall_end_.emplace(limit, now_, kWallLook);
  next_wall_look_ = now_ + std::min(limit, kWallLook);
}

void TimeKeeper::look_at_wall_time(MonoTime now) {
  if (!state_.started || !wall_end_ || now < next_wall_look_ || told_) return;
  next_wall_look_ = now + Millis(wall_end_->poll_ms(now));
  if (next_wall_look_ == now) end_now(EndCause::kWallTime);
}

void TimeKeeper::look_at_counts() {
  const SandboxPlan& plan = timed_.plan;
  const Readings readings = timed_.cgroup.read();
  if (plan.cgroup.memory_bytes && readings.oom_kills > 0) end_now(EndCause::kOutOfMemory);
  if (plan.cpu_time && readings.cpu && *readings.cpu >= *plan.cpu_time) end_now(EndCause::kCpuTime);
}

void TimeKeeper::note_cause(EndCause cause) {
  if (state_.cause == EndCause::kNone && !ended_) state_.cause = cause;
}

void TimeKeeper::end_now(EndCause cause) {
  note_cause(cause);
  const Millis grace = state_.started ? grace_before_kill(cause, timed_.plan) : Millis(0);
  if (grace <= Millis(0)) return kill_everything();
  const MonoTime until = now_ + grace;
  if (state_.killed || (kill_at_ && *kill_at_ <= until)) return;
  kill_at_ = until;
  if (std::exchange(told_, true)) return;
  // Init passes the signal on to every process inside.
  raw::pidfd_send_signal(timed_.init, SIGTERM);
}

// Whether SIGTERM was sent and the processes still have time to save their work.
bool TimeKeeper::in_grace() const { return told_ && !state_.killed && kill_at_; }

void TimeKeeper::kill_everything() {
  if (!state_.killed) state_.killed = now_;
  kill_at_ = now_ + kKillAgainAfter;
  raw::pidfd_send_signal(timed_.init, SIGKILL);
  timed_.cgroup.kill_all();
}

}  // namespace paddock::sandbox
