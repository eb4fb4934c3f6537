#include "node-agent/sandbox/linux/launcher/exec_supervisor.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/launch.h"
#include "common/os/packet_socket.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/child/terminal.h"

namespace paddock::sandbox {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;
using Type = ControlMessage::Type;

constexpr Millis kExecSetupTime{30'000};
constexpr Millis kMostGrace{10'000};   // a run may have hours to save its work
constexpr Millis kTimeToDie{5'000};    // of what was killed, until nobody waits for it
constexpr Millis kTimeWithRun{5'000};  // the kernel kills it with the run

Error exec_setup_error(std::string message) {
  return {Code::kInternal, "SANDBOX_SETUP_FAILED", std::move(message)};
}

bool keeps_nothing(const ExecWatched& watched) { return watched.shown || watched.terminal; }

LauncherLimits output_limits(const ExecWatched& watched) {
  LauncherLimits out = watched.plan.launcher;
  if (keeps_nothing(watched)) {
    out.show_all();
    return out;
  }
  out.stdout_bytes = std::min(out.stdout_bytes, watched.output_bytes);
  out.stderr_bytes = std::min(out.stderr_bytes, watched.output_bytes);
  return out;
}

// Init starts a command within milliseconds, unless it was stopped, or the whole run was.
void tell_that_it_stands_still(SandboxResult& result) {
  result.status = SandboxStatus::kInternalError;
  result.reason = "the run does not answer: it was stopped or frozen; the command did not begin";
  result.code = Reason("NO_ANSWER");
  contracts::apply_status_table(result);
}

void tell_of_a_limit(Reason code, const char* reason, SandboxResult& result) {
  result.status = SandboxStatus::kLimitExceeded;
  result.reason = reason;
  result.code = code;
  contracts::apply_status_table(result);
}

}  // namespace

void tell_of_the_runs_end(SandboxResult& result) {
  result.status = SandboxStatus::kCanceled;
  result.reason = "the run ended";
  result.code = Reason("RUN_ENDED");
  contracts::apply_status_table(result);
}

ExecSupervisor::ExecSupervisor(ExecChannels channels, const ExecWatched& watched)
    : channels_(std::move(channels)),
      watched_(watched),
      relay_(std::move(channels_.out), std::move(channels_.err), output_limits(watched),
             keeps_nothing(watched) ? 0 : watched.output_bytes, watched.events),
      now_(watched.clock.mono()),
      setup_end_(now_ + kExecSetupTime) {}

void ExecSupervisor::run(const std::string& command, SandboxResult& result) {
  while (!over()) {
    wait_for_something();
    look_at_time();
    flush(false);
  }
  ended_ = now_;
  look_for_the_runs_end();
  if (answerer_) answerer_->stop();
  relay_.finish(now_);
  flush(true);
  describe(command, result);
}

// A keeper that is gone without a word was most likely killed with the run, and one that failed may
// have found nothing of it any more. That the run has ended is told elsewhere, and perhaps a moment
// later.
void ExecSupervisor::look_for_the_runs_end() {
  if (wait_status_ || exec_error_ || no_room_ || no_terminal_ || stood_still_ ||
      cause_ != EndCause::kNone)
    return;
  pollfd ended{watched_.run_over, POLLIN, 0};
  cut_short_ |= poll(&ended, 1, static_cast<int>(kTimeWithRun.count())) > 0;
}

bool ExecSupervisor::over() const {
  return !channels_.control.valid() || (gives_up_ && now_ >= *gives_up_);
}

// In the order in which what became ready is handled: what the command wrote and asked before its
// end comes first.
void ExecSupervisor::wait_for_something() {
  PollSet turn;
  relay_.add_to(turn, now_);
  if (answerer_) {
    turn.add(answerer_->fd(now_), POLLIN, [this](short seen) { answerer_->handle(seen, now_); });
  }
  turn.add(channels_.control.get(), POLLIN, [this](short) { handle_control(); });
  turn.add(watched_.client, POLLIN, [this](short) { hear_client(); });
  turn.add(run_over_ ? -1 : watched_.run_over, POLLIN, [this](short) {
    run_over_ = true;
    cut_short_ = !wait_status_;
    gives_up_ = now_ + kTimeWithRun;
    kill();
  });
  turn.wait(wait_ms());
  now_ = watched_.clock.mono();
  turn.call_ready();
}

void ExecSupervisor::handle_control() {
  auto message = receive_control(channels_.control.get(), false);
  if (!message) {
    if (errno != EAGAIN) channels_.control.reset();
    return;
  }
  if (message->type == Type::kListener && !answerer_) {
    auto questions = std::make_unique<Notifications>(watched_.choices, watched_.plan.reach,
                                                     watched_.plan.tools, watched_.clock);
    questions->command_is(message->number);
    questions->listen_on(std::move(message->fd));
    answerer_.emplace(std::move(questions), watched_.clock);
  } else if (message->type == Type::kTerminal) {
    take_terminal(std::move(message->fd));
  } else if (message->type == Type::kFailed) {
    no_room_ |= message->number == EAGAIN;
    no_terminal_ |= message->number == ENOSPC;
    if (!setup_error_) setup_error_ = exec_setup_error(message->text);
  } else if (message->type == Type::kNoExec) {
    exec_error_ = message->number;
  } else if (message->type == Type::kStarted && !setup_error_ && !exec_error_) {
    started_ = now_;
  } else if (message->type == Type::kEnded) {
    wait_status_ = message->number;
    cpu_ = Millis(message->cpu_ms);
    kill_at_.reset();
    gives_up_ = now_ + kTimeToDie;
  }
}

// A client that is gone by now is heard of by itself.
void ExecSupervisor::take_terminal(os::Fd terminal) {
  if (!watched_.terminal || !terminal.valid()) return;
  const int other = terminal.get();
  (void)os::send_packet(watched_.client, contracts::kExecTerminal, {&other, 1});
  relay_.read_terminal(std::move(terminal));
}

void ExecSupervisor::hear_client() {
  if (os::receive_packet(watched_.client).ok()) return;  // there is nothing more to be said
  watched_.client = -1;
  end(EndCause::kCanceled, std::min(watched_.plan.launcher.cancel_grace, kMostGrace));
}

void ExecSupervisor::look_at_time() {
  if (!started_ && !wait_status_ && now_ >= setup_end_ && !gives_up_) {
    stood_still_ = !setup_error_;
    kill();
  }
  if (started_ && now_ >= *started_ + watched_.time)
    end(EndCause::kWallTime, std::min(watched_.plan.launcher.limit_grace, kMostGrace));
  if (kill_at_ && now_ >= *kill_at_) kill();
}

// The first cause counts.
void ExecSupervisor::end(EndCause cause, Millis grace) {
  if (cause_ != EndCause::kNone || wait_status_) return;
  cause_ = cause;
  if (cause == EndCause::kCanceled) relay_.hang_up();  // nobody is there who could read
  if (!started_ || grace <= Millis(0)) return kill();
  send_control(channels_.control.get(), Type::kTerminate, watched_.terminal ? 1 : 0);
  kill_at_ = now_ + grace;
}

// The keeper kills everything beneath it.
void ExecSupervisor::kill() {
  kill_at_.reset();
  if (!gives_up_) gives_up_ = now_ + kTimeToDie;
  if (channels_.control.valid()) shutdown(channels_.control.get(), SHUT_WR);
}

void ExecSupervisor::flush(bool all) {
  if (relay_.flush(now_, all)) return;
  // Nobody could learn of this command any more.
  if (cause_ == EndCause::kNone) cause_ = EndCause::kCanceled;
  kill();
}

int ExecSupervisor::wait_ms() const {
  MonoTime until = relay_.next(now_, now_ + Millis(60'000));
  const auto at = [&](const std::optional<MonoTime>& time) {
    if (time) until = std::min(until, *time);
  };
  if (answerer_) at(answerer_->rests_until(now_));
  at(kill_at_);
  at(gives_up_);
  if (!started_ && !wait_status_ && !gives_up_) at(setup_end_);
  if (started_ && cause_ == EndCause::kNone) at(*started_ + watched_.time);
  return static_cast<int>(std::clamp<int64_t>((until - now_).count(), 0, 60'000));
}

Outcome ExecSupervisor::outcome() {
  if (setup_error_) return outcome::SetupFailed{*setup_error_};
  if (exec_error_) return outcome::NotExecutable{*exec_error_};
  if (!started_ && cause_ == EndCause::kNone)
    return outcome::SetupFailed{exec_setup_error("it was ended before it executed")};
  outcome::Ended ended;
  ended.cause = cause_;
  ended.wait_status = wait_status_;
  ended.main_cpu = cpu_;
  if (answerer_) ended.forbidden_call = answerer_->found().command_killed_for();
  ended.limit_signals_sent = limit_signals_;
  return ended;
}

void ExecSupervisor::describe(const std::string& command, SandboxResult& result) {
  if (answerer_) {
    result.denials = answerer_->found().take_denials();
    reached_broker_ = answerer_->found().reached_broker();
    limit_signals_ = answerer_->found().limit_signals_sent();
  }
  relay_.describe(result);
  result.duration_ms = started_ && ended_ ? (*ended_ - *started_).count() : 0;
  result.usage.cpu_ms = cpu_.count();
  if (cut_short_ && !exec_error_) return tell_of_the_runs_end(result);
  if (stood_still_) return tell_that_it_stands_still(result);
  if (no_room_)
    return tell_of_a_limit("E_LIMIT_PIDS",
                           "the run has no room for another process: its pids limit is reached",
                           result);
  if (no_terminal_)
    return tell_of_a_limit(kNoTerminalLeft,
                           "no terminal is left: the run has 32 in all, so end a command or a "
                           "program that holds one; if it has fewer, its host has as many as its "
                           "kernel.pty.max, which an operator raises",
                           result);
  classify(outcome(), {watched_.plan.cpu_time, {}, {}}, command, result);
  remark({relay_.outputs().truncated(), false}, result);
}

}  // namespace paddock::sandbox
