#include "node-agent/sandbox/linux/launcher/exec_time_keeper.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/os/packet_socket.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

constexpr Millis kExecSetupTime{30'000};
constexpr Millis kTimeToDie{5'000};    // of what was killed, until nobody waits for it
constexpr Millis kTimeWithRun{5'000};  // the kernel kills it with the run
// This long after all were killed at once, the result no longer waits for the kernel to take the
// dead apart.
constexpr Millis kEnoughForTheDead{100};
constexpr Millis kLongestWait{60'000};

}  // namespace

ExecTimeKeeper::ExecTimeKeeper(os::Fd control, const ExecTimed& timed)
    : timed_(timed),
      control_(std::move(control)),
      client_(timed.client),
      now_(timed.clock.mono()),
      setup_end_(now_ + kExecSetupTime) {}

ExecTimeKeeper::~ExecTimeKeeper() {
  if (!has_thread_) return;
  {
    const std::lock_guard hold(lock_);
    stop_ = true;
  }
  const uint64_t once = 1;
  (void)!write(wake_.get(), &once, sizeof once);
  pthread_join(thread_, nullptr);
}

Status ExecTimeKeeper::start() {
  news_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!news_.valid() || !wake_.valid()) return step_error("making the time keeper's events", errno);
  const int failed = pthread_create(&thread_, nullptr, keep, this);
  if (failed != 0) return step_error("starting the time keeper", failed);
  has_thread_ = true;
  return {};
}

std::vector<ControlMessage> ExecTimeKeeper::take() {
  uint64_t news = 0;
  (void)!read(news_.get(), &news, sizeof news);
  const std::lock_guard hold(lock_);
  return std::exchange(said_, {});
}

void ExecTimeKeeper::cancel() {
  const std::lock_guard hold(lock_);
  if (state_.cause == EndCause::kNone) state_.cause = EndCause::kCanceled;
  kill();
  const uint64_t once = 1;
  (void)!write(wake_.get(), &once, sizeof once);
}

ExecTimeKeeper::State ExecTimeKeeper::state() const {
  const std::lock_guard hold(lock_);
  return state_;
}

void* ExecTimeKeeper::keep(void* self) {
  static_cast<ExecTimeKeeper*>(self)->keep_time();
  return nullptr;
}

void ExecTimeKeeper::keep_time() {
  std::unique_lock hold(lock_);
  while (!stop_ && !state_.over) {
    now_ = timed_.clock.mono();
    const Millis wait = next().value_or(now_ + kLongestWait) - now_;
    std::array<pollfd, 4> fds = {{{control_.get(), POLLIN, 0},
                                  {client_, POLLIN, 0},
                                  {state_.run_over ? -1 : timed_.run_over, POLLIN, 0},
                                  {wake_.get(), POLLIN, 0}}};
    hold.unlock();
    poll(fds.data(), fds.size(),
         static_cast<int>(std::clamp<int64_t>(wait.count(), 0, kLongestWait.count())));
    hold.lock();
    now_ = timed_.clock.mono();
    uint64_t wakes = 0;
    (void)!read(wake_.get(), &wakes, sizeof wakes);
    if (fds[0].revents != 0) hear_keeper();
    if (fds[1].revents != 0) hear_client();
    if (fds[2].revents != 0) hear_run();
    look(now_);
  }
}

void ExecTimeKeeper::hear_keeper() {
  auto message = receive_control(control_.get(), false);
  if (!message) {
    if (errno != EAGAIN) control_.reset();
    return;
  }
  note(*message);
  said_.push_back(std::move(*message));
  tell();
}

void ExecTimeKeeper::note(const ControlMessage& message) {
  failed_ |= message.type == Type::kFailed || message.type == Type::kNoExec;
  if (message.type == Type::kStarted && !failed_) {
    state_.started = now_;
  } else if (message.type == Type::kEnded) {
    state_.wait_status = message.number;
    state_.cpu = Millis(message.cpu_ms);
    kill_at_.reset();
    wait_no_longer_than(kTimeToDie);
  } else if (message.type == Type::kAllKilled) {
    wait_no_longer_than(kEnoughForTheDead);
  }
}

void ExecTimeKeeper::hear_client() {
  if (os::receive_packet(client_).ok()) return;  // there is nothing more to be said
  client_ = -1;
  end(EndCause::kCanceled, timed_.cancel_grace);
}

void ExecTimeKeeper::hear_run() {
  state_.run_over = true;
  state_.cut_short = !state_.wait_status;
  gives_up_ = now_ + kTimeWithRun;
  kill();
}

void ExecTimeKeeper::look(MonoTime now) {
  if (!state_.started && !state_.wait_status && now >= setup_end_ && !gives_up_) {
    state_.stood_still = !failed_;
    kill();
  }
  if (state_.started && now >= *state_.started + timed_.time)
    end(EndCause::kWallTime, timed_.limit_grace);
  if (kill_at_ && now >= *kill_at_) kill();
  if (control_.valid() && !(gives_up_ && now >= *gives_up_)) return;
  state_.over = now;
  tell();
}

// The first cause counts.
void ExecTimeKeeper::end(EndCause cause, Millis grace) {
  if (state_.cause != EndCause::kNone || state_.wait_status) return;
  state_.cause = cause;
  tell();
  if (!state_.started || grace <= Millis(0)) return kill();
  send_control(control_.get(), Type::kTerminate, timed_.terminal ? 1 : 0);
  kill_at_ = now_ + grace;
}

// The keeper kills everything beneath it.
void ExecTimeKeeper::kill() {
  kill_at_.reset();
  if (!gives_up_) gives_up_ = now_ + kTimeToDie;
  if (control_.valid()) shutdown(control_.get(), SHUT_WR);
}

void ExecTimeKeeper::wait_no_longer_than(Millis patience) {
  const MonoTime until = now_ + patience;
  gives_up_ = gives_up_ ? std::min(*gives_up_, until) : until;
}

std::optional<MonoTime> ExecTimeKeeper::next() const {
  std::optional<MonoTime> until;
  const auto at = [&](const std::optional<MonoTime>& time) {
    if (time && (!until || *time < *until)) until = *time;
  };
  at(kill_at_);
  at(gives_up_);
  if (!state_.started && !state_.wait_status && !gives_up_) at(setup_end_);
  if (state_.started && state_.cause == EndCause::kNone && !state_.wait_status)
    at(*state_.started + timed_.time);
  return until;
}

void ExecTimeKeeper::tell() const {
  const uint64_t once = 1;
  (void)!write(news_.get(), &once, sizeof once);
}

}  // namespace paddock::sandbox
