#include "node-agent/sandbox/macos/group_supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/result/output_pipe.h"

namespace paddock::sandbox {
namespace {

using contracts::FrameType;

constexpr Millis kGroupSetupTime{30'000};
constexpr Millis kGroupLookEvery{100};
constexpr Millis kGroupGoneWithin{5'000};  // what is killed and does not go is stuck in the kernel

constexpr Millis kGroupCpuGrace{200};  // what it would compute in a longer one is over the limit

Millis grace_for(EndCause cause, const LauncherLimits& limits) {
  if (cause == EndCause::kOutOfMemory) return Millis(0);
  if (cause == EndCause::kCanceled) return limits.cancel_grace;
  return cause == EndCause::kCpuTime ? std::min(limits.limit_grace, kGroupCpuGrace)
                                     : limits.limit_grace;
}

Millis millis(const timeval& time) { return Millis(time.tv_sec * 1000 + time.tv_usec / 1000); }

}  // namespace

GroupSupervisor::GroupSupervisor(ConfinedGroup group, const SeatbeltPlan& plan, EventWriter& events,
                                 const Clock& clock, ReadGroup read_group, SignalPipe& signals,
                                 int64_t inline_bytes)
    : group_(std::move(group)),
      plan_(plan),
      events_(events),
      clock_(clock),
      read_group_(read_group),
      signals_(signals),
      outputs_(plan.launcher, inline_bytes),
      now_(clock.mono()),
      setup_deadline_(now_ + kGroupSetupTime),
      next_check_(now_) {}

Outcome GroupSupervisor::run() {
  while (goes_on()) {
    wait_for_something();
    handle_time();
    flush(false);
  }
  ended_ = now_ = clock_.mono();
  // Reads all that the witness will say; the guard may still hold the pipe.
  if (group_.witness.valid()) read_witness();
  hear_witness();
  kill_the_rest();
  group_.guard.release();
  reaped_ = reap_first(group_.pid);
  // A process that left the group may hold the pipes and go on writing.
  if (started_) {
    read_what_is_left(group_.out, outputs_.out, now_);
    read_what_is_left(group_.err, outputs_.err, now_);
  }
  outputs_.finish(now_);
  flush(true);
  return outcome();
}

// Processes that the command left behind when it ended have the rest of its grace.
bool GroupSupervisor::goes_on() {
  if (!first_has_ended(group_.pid)) return true;
  return told_ && !killed_ && read_group_(group_.pid).processes > 0;
}

void GroupSupervisor::wait_for_something() {
  // Messages of sandbox-exec are no output of the command, so reading begins with the command.
  const bool reading = started_ && !events_.congested();
  const auto output_fd = [&](const os::Fd& fd) { return reading ? fd.get() : -1; };
  std::array<pollfd, 5> fds = {{
      {group_.witness.get(), POLLIN, 0},
      {output_fd(group_.out), POLLIN, 0},
      {output_fd(group_.err), POLLIN, 0},
      {signals_.fd(), POLLIN, 0},
      {events_.waiting() ? events_.fd() : -1, POLLOUT, 0},
  }};
  poll(fds.data(), fds.size(), wait_ms());
  now_ = clock_.mono();
  const auto ready = [&](size_t i) { return fds[i].revents != 0; };
  if (ready(0)) read_witness();
  if (ready(1)) read_output(group_.out, outputs_.out, now_, false);
  if (ready(2)) read_output(group_.err, outputs_.err, now_, false);
  if (ready(3)) hear_signals();
}

void GroupSupervisor::hear_signals() {
  const SignalPipe::Asked asked = signals_.take();
  if (asked != SignalPipe::Asked::kNothing) end(EndCause::kCanceled);
  if (asked == SignalPipe::Asked::kKill) kill_group();
}

int GroupSupervisor::wait_ms() const {
  MonoTime until = now_ + Millis(60'000);
  const auto at = [&](const std::optional<MonoTime>& time) {
    if (time) until = std::min(until, *time);
  };
  at(outputs_.flush_at());
  at(kill_at_);
  if (told_) at(now_ + kGroupLookEvery);
  at(events_.retry_at());
  if (!started_) at(setup_deadline_);
  if (started_ && plan_.launcher.wall_time && cause_ == EndCause::kNone)
    at(*started_ + *plan_.launcher.wall_time);
  if (plan_.memory_bytes || plan_.pids || plan_.cpu_time) at(next_check_);
  return static_cast<int>(std::clamp<int64_t>((until - now_).count(), 0, 60'000));
}

void GroupSupervisor::read_witness() {
  char bytes[512];
  ssize_t n = 0;
  while ((n = read(group_.witness.get(), bytes, sizeof bytes)) > 0 && witness_text_.size() < 4096)
    witness_text_.append(bytes, static_cast<size_t>(n));
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  hear_witness();
}

void GroupSupervisor::hear_witness() {
  if (!group_.witness.valid()) return;
  group_.witness.reset();
  for (const std::string& line : split(witness_text_, '\n')) note_line(line);
  if (!confined_ || setup_error_ || exec_error_) return;
  started_ = now_;
  events_.add(FrameType::kStarted, wire::to_json(wire::Value::Object{{"pid", group_.pid}}));
}

void GroupSupervisor::note_line(std::string_view line) {
  if (line == "confined") {
    confined_ = true;
  } else if (line == "open") {
    setup_error_ = "sandbox-exec was run, but the kernel does not confine what it started";
  } else if (line.starts_with("failed ")) {
    setup_error_ = line.substr(7);
  } else if (line.starts_with("exec ")) {
    exec_error_ = parse_integer<int>(line.substr(5)).value_or(ENOEXEC);
  }
}

void GroupSupervisor::handle_time() {
  if (!started_ && now_ >= setup_deadline_ && !setup_error_) {
    setup_error_ = "setting up took more than 30 seconds";
    kill_group();
  }
  if (started_ && plan_.launcher.wall_time && now_ >= *started_ + *plan_.launcher.wall_time)
    end(EndCause::kWallTime);
  if (kill_at_ && now_ >= *kill_at_) kill_group();
  if (now_ >= next_check_) check_group();
}

void GroupSupervisor::check_group() {
  next_check_ = now_ + kGroupLookEvery;
  const GroupUse use = read_group_(group_.pid);
  const auto raise = [](auto& highest, auto value) {
    if (!highest || *highest < value) highest = value;
  };
  if (!started_) return;
  raise(readings_.peak_memory_bytes, use.memory_bytes);
  raise(readings_.peak_pids, use.processes);
  raise(readings_.cpu, use.cpu);
  if (plan_.memory_bytes && use.memory_bytes > *plan_.memory_bytes) end(EndCause::kOutOfMemory);
  if (plan_.cpu_time && use.cpu >= *plan_.cpu_time) end(EndCause::kCpuTime);
  if (plan_.pids && use.processes > *plan_.pids && cause_ == EndCause::kNone) {
    pids_passed_ = true;
    kill_group();
  }
}

void GroupSupervisor::flush(bool all) {
  outputs_.flush(now_, all,
                 [&](FrameType type, const std::string& piece) { events_.add(type, piece); });
  if (events_lost_ || events_.write_some().ok()) return;
  events_lost_ = true;  // nobody can learn of this run any more
  end(EndCause::kCanceled);
}

// The first cause stays, and with it its grace: a second one does not prolong it.
void GroupSupervisor::end(EndCause cause) {
  if (cause_ == EndCause::kNone && !pids_passed_) cause_ = cause;
  const Millis grace = grace_for(cause, plan_.launcher);
  if (!started_ || grace <= Millis(0)) return kill_group();
  if (killed_ || (kill_at_ && *kill_at_ <= now_ + grace)) return;
  kill_at_ = now_ + grace;
  if (!std::exchange(told_, true)) signal_group(group_.pid, SIGTERM);
}

void GroupSupervisor::kill_group() {
  killed_ = true;
  kill_at_ = now_ + kGroupLookEvery;  // once more: it may have forked meanwhile
  signal_group(group_.pid, SIGKILL);
}

// The first process is a zombie and keeps the group's number.
void GroupSupervisor::kill_the_rest() {
  const MonoTime until = clock_.mono() + kGroupGoneWithin;
  do {
    signal_group(group_.pid, SIGKILL);
    if (read_group_(group_.pid).processes == 0) return;
    poll(nullptr, 0, 1);
  } while (clock_.mono() < until);
}

Outcome GroupSupervisor::outcome() const {
  const auto failed = [](std::string why) {
    return outcome::SetupFailed{{Code::kInternal, "SANDBOX_SETUP_FAILED", std::move(why)}};
  };
  if (setup_error_) return failed(*setup_error_);
  if (exec_error_) return outcome::NotExecutable{*exec_error_};
  if (!started_ && cause_ == EndCause::kNone)
    return failed(
        "sandbox-exec ended before the command started: it refused the profile, or it "
        "was itself started in a sandbox");
  return outcome::Ended{.cause = cause_,
                        .wait_status = reaped_.wait_status,
                        .main_cpu = millis(reaped_.used.ru_utime) + millis(reaped_.used.ru_stime),
                        .readings = readings_};
}

void GroupSupervisor::describe(contracts::SandboxResult& result) const {
  outputs_.describe(result);
  result.duration_ms = started_ ? (*ended_ - *started_).count() : 0;
  result.usage.peak_memory_bytes = readings_.peak_memory_bytes;
  result.usage.peak_pids = readings_.peak_pids;
  for (auto& [name, enforcement] : result.enforced)
    enforcement.applied = confined_ && enforcement.level != contracts::EnforcementLevel::kNone;
  remark({outputs_.truncated(), plan_.partial}, result);
}

}  // namespace paddock::sandbox
