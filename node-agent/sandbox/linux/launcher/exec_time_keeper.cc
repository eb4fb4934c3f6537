#include "node-agent/sandbox/linux/launcher/exec_time_keeper.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "common/os/packet_socket.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;
using Step = ExecLife::Step;

constexpr int kMostSaid = 16;  // before time is looked at again; a keeper says fewer in all

}  // namespace

ExecTimeKeeper::ExecTimeKeeper(os::Fd control, const ExecTimed& timed)
    : timed_(timed),
      control_(std::move(control)),
      client_(timed.client),
      life_(timed.times, timed.clock.mono()) {}

ExecTimeKeeper::~ExecTimeKeeper() {
  if (!has_thread_) return;
  {
    const std::lock_guard hold(lock_);
    stop_ = true;
  }
  wake_.raise();
  pthread_join(thread_, nullptr);
}

Status ExecTimeKeeper::start() {
  if (!news_.valid() || !wake_.valid())
    return step_error("making the time keeper's events", EMFILE);
  const int failed = pthread_create(&thread_, nullptr, keep, this);
  if (failed != 0) return step_error("starting the time keeper", failed);
  has_thread_ = true;
  return {};
}

ExecTimeKeeper::News ExecTimeKeeper::take() {
  const std::lock_guard hold(lock_);
  news_.clear();
  return {std::exchange(said_, {}), life_.state()};
}

void ExecTimeKeeper::cancel() {
  const std::lock_guard hold(lock_);
  const ExecLife::State before = life_.state();
  life_.set_now(timed_.clock.mono());
  take(life_.cancel());
  tell_of(before);
  wake_.raise();
}

void* ExecTimeKeeper::keep(void* self) {
  static_cast<ExecTimeKeeper*>(self)->keep_time();
  return nullptr;
}

void ExecTimeKeeper::keep_time() {
  std::unique_lock hold(lock_);
  while (!stop_ && !life_.state().over) {
    std::array<pollfd, 4> fds = {{{control_.get(), POLLIN, 0},
                                  {client_, POLLIN, 0},
                                  {life_.state().run_over ? -1 : timed_.run_over, POLLIN, 0},
                                  {wake_.fd(), POLLIN, 0}}};
    const auto wait = static_cast<int>(life_.next().count());
    hold.unlock();
    poll(fds.data(), fds.size(), wait);
    hold.lock();
    const ExecLife::State before = life_.state();
    wake_.clear();
    life_.set_now(timed_.clock.mono());
    // All that it has said: its word on the command's end may wait behind others when the run ends.
    for (int i = 0; fds[0].revents != 0 && i < kMostSaid && hear_keeper(); ++i) {
    }
    if (fds[1].revents != 0) take(hear_client());
    if (fds[2].revents != 0) take(life_.note_run_over());
    take(life_.look());
    tell_of(before);
  }
}

// Whether there may be more.
bool ExecTimeKeeper::hear_keeper() {
  auto message = receive_control(control_.get(), false);
  if (!message) {
    if (errno == EAGAIN) return false;
    control_.reset();
    life_.note_gone();
    return false;
  }
  note(*message);
  said_.push_back(std::move(*message));
  news_.raise();
  return true;
}

void ExecTimeKeeper::note(const ControlMessage& message) {
  if (message.type == Type::kFailed || message.type == Type::kNoExec) {
    life_.note_failed();
  } else if (message.type == Type::kStarted) {
    life_.note_started();
  } else if (message.type == Type::kEnded) {
    life_.note_ended(message.number, Millis(message.cpu_ms));
  } else if (message.type == Type::kAllKilled) {
    life_.note_all_killed();
  }
}

Step ExecTimeKeeper::hear_client() {
  if (os::receive_packet(client_).ok()) return Step::kNone;  // there is nothing more to be said
  client_ = -1;
  return life_.note_client_gone();
}

// Once nobody talks to it any more, the command's keeper kills everything beneath it.
void ExecTimeKeeper::take(Step step) {
  if (!control_.valid()) return;
  if (step == Step::kTerminate)
    send_control(control_.get(), Type::kTerminate, timed_.terminal ? 1 : 0);
  if (step == Step::kKill) shutdown(control_.get(), SHUT_WR);
}

void ExecTimeKeeper::tell_of(const ExecLife::State& before) const {
  if (life_.state() != before) news_.raise();
}

}  // namespace paddock::sandbox
