#include "node-agent/sandbox/linux/launcher/exec_life.h"

#include <algorithm>
#include <utility>

namespace paddock::sandbox {
namespace {

constexpr Millis kExecSetupTime{30'000};
constexpr Millis kTimeToDie{5'000};    // of what was killed, until nobody waits for it
constexpr Millis kTimeWithRun{5'000};  // the kernel kills it with the run
// Of a longer pause between two looks, twice this counts.
constexpr Millis kExecLookEvery{1'000};

}  // namespace

ExecLife::ExecLife(const ExecTimes& times, MonoTime now)
    : times_(times), lived_(2 * kExecLookEvery, now), now_(now), setup_end_(kExecSetupTime) {}

void ExecLife::set_now(MonoTime now) {
  now_ = now;
  lived_now_ = lived_.look(now);
}

ExecLife::Step ExecLife::look() {
  const auto passed = [&](const std::optional<Millis>& at) { return at && lived_now_ >= *at; };
  if (passed(gives_up_)) note_gone();
  if (passed(kill_at_)) return kill();
  if (!state_.started && !state_.wait_status && !killed_ && passed(setup_end_)) {
    state_.stood_still = !failed_;
    return kill();
  }
  return passed(time_end_) ? end(EndCause::kWallTime, times_.limit_grace) : Step::kNone;
}

Millis ExecLife::next() const {
  Millis until = lived_now_ + kExecLookEvery;
  const bool starts = !state_.started && !state_.wait_status && !killed_;
  for (const std::optional<Millis>& at :
       {kill_at_, gives_up_, time_end_, starts ? std::optional(setup_end_) : std::nullopt})
    if (at) until = std::min(until, *at);
  return std::max(until - lived_now_, Millis(0));
}

void ExecLife::note_started() {
  if (failed_) return;
  state_.started = now_;
  if (state_.cause == EndCause::kNone && !killed_) time_end_ = lived_now_ + times_.time;
}

void ExecLife::note_ended(int status, Millis cpu) {
  state_.wait_status = status;
  state_.cpu = cpu;
  kill_at_.reset();
  time_end_.reset();
  wait_no_longer_than(kTimeToDie);
}

void ExecLife::note_all_killed() {
  if (!state_.ended) state_.ended = now_;
}

void ExecLife::note_gone() {
  note_all_killed();
  if (!state_.over) state_.over = now_;
}

ExecLife::Step ExecLife::note_run_over() {
  state_.run_over = true;
  state_.cut_short = !state_.wait_status;
  gives_up_ = lived_now_ + kTimeWithRun;
  return kill();
}

ExecLife::Step ExecLife::note_client_gone() {
  return end(EndCause::kCanceled, times_.cancel_grace);
}

ExecLife::Step ExecLife::cancel() {
  if (state_.cause == EndCause::kNone) state_.cause = EndCause::kCanceled;
  return kill();
}

// The first cause counts.
ExecLife::Step ExecLife::end(EndCause cause, Millis grace) {
  time_end_.reset();
  if (state_.cause != EndCause::kNone || state_.wait_status) return Step::kNone;
  state_.cause = cause;
  if (!state_.started || grace <= Millis(0)) return kill();
  kill_at_ = lived_now_ + grace;
  return Step::kTerminate;
}

ExecLife::Step ExecLife::kill() {
  kill_at_.reset();
  time_end_.reset();
  wait_no_longer_than(kTimeToDie);
  return std::exchange(killed_, true) ? Step::kNone : Step::kKill;
}

void ExecLife::wait_no_longer_than(Millis patience) {
  if (!gives_up_) gives_up_ = lived_now_ + patience;
}

}  // namespace paddock::sandbox
