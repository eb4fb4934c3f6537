#include "node-agent/sandbox/linux/launcher/exec_supervisor.h"

#include <errno.h>
#include <poll.h>

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

constexpr Millis kMostGrace{10'000};  // a run may have hours to save its work
constexpr Millis kUntilTheRunsEnd{5'000};

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
    : watched_(watched),
      relay_(std::move(channels.out), std::move(channels.err), output_limits(watched),
             keeps_nothing(watched) ? 0 : watched.output_bytes, watched.events),
      keeper_(std::move(channels.control),
              {watched.clock,
               watched.client,
               watched.run_over,
               watched.terminal,
               {watched.time, std::min(watched.plan.launcher.cancel_grace, kMostGrace),
                std::min(watched.plan.launcher.limit_grace, kMostGrace)}}),
      now_(watched.clock.mono()) {}

void ExecSupervisor::run(const std::string& command, SandboxResult& result) {
  while (!state_.over) {
    wait_for_something();
    flush(false);
  }
  look_for_the_runs_end();
  if (answerer_) answerer_->stop();
  relay_.finish(now_);
  flush(true);
  describe(command, result);
}

bool ExecSupervisor::ended_without_a_word() const {
  return !state_.wait_status && !exec_error_ && !no_room_ && !no_terminal_ && !state_.stood_still &&
         state_.cause == EndCause::kNone;
}

// A keeper that is gone without a word was most likely killed with the run, and one that failed may
// have found nothing of it any more. That the run has ended is told elsewhere, and perhaps a moment
// later.
void ExecSupervisor::look_for_the_runs_end() {
  if (!ended_without_a_word()) return;
  pollfd ended{watched_.run_over, POLLIN, 0};
  state_.cut_short |= poll(&ended, 1, static_cast<int>(kUntilTheRunsEnd.count())) > 0;
}

// In the order in which what became ready is handled: what the command wrote and asked before its
// end comes first.
void ExecSupervisor::wait_for_something() {
  PollSet turn;
  relay_.add_to(turn, now_);
  if (answerer_) {
    turn.add(answerer_->fd(now_), POLLIN, [this](short seen) { answerer_->handle(seen, now_); });
  }
  turn.add(keeper_.fd(), POLLIN, [this](short) { hear_keeper(); });
  turn.wait(wait_ms());
  now_ = watched_.clock.mono();
  turn.call_ready();
}

void ExecSupervisor::hear_keeper() {
  ExecTimeKeeper::News news = keeper_.take();
  for (ControlMessage& message : news.said) handle(message);
  state_ = news.state;
  if (state_.cause == EndCause::kCanceled) relay_.hang_up();  // nobody is there who could read
}

void ExecSupervisor::handle(ControlMessage& message) {
  if (message.type == Type::kListener && !answerer_) {
    auto questions = std::make_unique<Notifications>(watched_.choices, watched_.plan.reach,
                                                     watched_.plan.tools, watched_.clock);
    questions->command_is(message.number);
    questions->listen_on(std::move(message.fd));
    answerer_.emplace(std::move(questions), watched_.clock);
  } else if (message.type == Type::kTerminal) {
    take_terminal(std::move(message.fd));
  } else if (message.type == Type::kFailed) {
    no_room_ |= message.number == EAGAIN;
    no_terminal_ |= message.number == ENOSPC;
    if (!setup_error_) setup_error_ = exec_setup_error(message.text);
  } else if (message.type == Type::kNoExec) {
    exec_error_ = message.number;
  }
}

// A client that is gone by now is heard of by itself.
void ExecSupervisor::take_terminal(os::Fd terminal) {
  if (!watched_.terminal || !terminal.valid()) return;
  const int other = terminal.get();
  (void)os::send_packet(watched_.client, contracts::kExecTerminal, {&other, 1});
  relay_.read_terminal(std::move(terminal));
}

void ExecSupervisor::flush(bool all) {
  if (relay_.flush(now_, all)) return;
  keeper_.cancel();
}

int ExecSupervisor::wait_ms() const {
  MonoTime until = relay_.next(now_, now_ + Millis(60'000));
  if (const auto rest = answerer_ ? answerer_->rests_until(now_) : std::nullopt)
    until = std::min(until, *rest);
  return static_cast<int>(std::clamp<int64_t>((until - now_).count(), 0, 60'000));
}

Outcome ExecSupervisor::outcome() {
  if (setup_error_) return outcome::SetupFailed{*setup_error_};
  if (exec_error_) return outcome::NotExecutable{*exec_error_};
  if (!state_.started && state_.cause == EndCause::kNone)
    return outcome::SetupFailed{exec_setup_error("it was ended before it executed")};
  outcome::Ended ended;
  ended.cause = state_.cause;
  ended.wait_status = state_.wait_status;
  ended.main_cpu = state_.cpu;
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
  const bool executed = state_.started && state_.ended;
  result.duration_ms = executed ? (*state_.ended - *state_.started).count() : 0;
  result.usage.cpu_ms = state_.cpu.count();
  if (state_.cut_short && !exec_error_) return tell_of_the_runs_end(result);
  if (state_.stood_still) return tell_that_it_stands_still(result);
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
