#include "node-agent/sandbox/linux/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/linux/control.h"
#include "node-agent/sandbox/linux/raw.h"
#include "node-agent/sandbox/output_pipe.h"

namespace paddock::sandbox {
namespace {

using contracts::FrameType;

constexpr Millis kSetupTime{30'000};
constexpr Millis kCheckEvery{100};  // limits that only reading a counter can tell
constexpr Millis kCheckWaiting{5'000};
constexpr Millis kKillAgainAfter{20};
constexpr Millis kCpuGrace{200};  // what it would compute in a longer one is over the limit
constexpr std::array<pollfd, 2> kNoInput = {{{-1, 0, 0}, {-1, 0, 0}}};

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
    case EndCause::kOutOfMemory:  // the kernel has killed one of them already
      break;
  }
  return Millis(0);
}

}  // namespace

Supervisor::Supervisor(RunningSandbox sandbox, const Watched& watched, int64_t inline_bytes)
    : sandbox_(std::move(sandbox)),
      watched_(watched),
      outputs_(watched.plan.launcher, inline_bytes),
      notifications_(watched.choices, watched.plan.reach, watched.plan.tools),
      now_(watched.clock.mono()),
      setup_deadline_(now_ + kSetupTime),
      next_check_(now_ + kCheckEvery),
      waits_(watched.waits) {
  notifications_.listen_on(std::move(sandbox_.listener));
  if (watched_.may_end_early) notifications_.hold_exits();
}

Outcome Supervisor::run() {
  while (!reaped_ && !over_) {
    wait_for_something();
    handle_time();
    flush(false);
  }
  // Nothing inside writes any more: what the pipes still hold is all that will ever come.
  while (sandbox_.out.valid()) read_output(sandbox_.out, outputs_.out, now_, true);
  while (sandbox_.err.valid()) read_output(sandbox_.err, outputs_.err, now_, true);
  outputs_.finish(now_);
  flush(true);
  return outcome();
}

void Supervisor::wait_for_something() {
  const bool congested = watched_.events.congested();
  const auto output_fd = [&](const os::Fd& fd) { return congested ? -1 : fd.get(); };
  const auto input = watched_.input == nullptr ? kNoInput : watched_.input->waits_for();
  std::array<pollfd, 11> fds = {{
      {sandbox_.control.get(), POLLIN, 0},
      {output_fd(sandbox_.out), POLLIN, 0},
      {output_fd(sandbox_.err), POLLIN, 0},
      {notifications_.fd(now_), POLLIN, 0},
      {watched_.signals, POLLIN, 0},
      {sandbox_.pidfd.get(), POLLIN, 0},
      {watched_.events.waiting() ? watched_.events.fd() : -1, POLLOUT, 0},
      {watched_.disk == nullptr ? -1 : watched_.disk->fd(), POLLIN, 0},
      {watched_.client, POLLIN, 0},
      input[0],
      input[1],
  }};
  poll(fds.data(), fds.size(), wait_ms());
  now_ = watched_.clock.mono();
  const auto ready = [&](size_t i) { return fds[i].revents != 0; };
  if (ready(0)) handle_control();
  if (ready(1)) read_output(sandbox_.out, outputs_.out, now_, false);
  if (ready(2)) read_output(sandbox_.err, outputs_.err, now_, false);
  if (ready(3)) {
    if ((fds[3].revents & POLLIN) != 0) {
      notifications_.answer(now_);
    } else {
      notifications_.stop();  // nobody is left who could ask
    }
  }
  if (ready(4)) hear_signal();
  if (watched_.disk != nullptr && ready(7)) handle_disk(watched_.disk->take(now_));
  if (ready(8)) hear_client();
  if (watched_.input != nullptr) watched_.input->handle({fds[9], fds[10]}, now_);
  if (ready(5)) reap();
  if (reaped_) return;
  if (notifications_.holds_exit()) {
    if (!ends_here()) return notifications_.let_exit();
    wait_status_ = 0;
  } else if (!wait_status_) {
    return;
  } else if (!only_init_is_left()) {
    return let_init_go();
  }
  ended_ = now_;
  over_ = true;
}

// Who asks to end is the command's only thread, and only init is there beside it. (Why something
// failed may need what comes later; only a success is asked about.)
bool Supervisor::ends_here() const {
  return started_ && !setup_error_ && !exec_error_ && cause_ == EndCause::kNone && !wait_status_ &&
         watched_.cgroup.tasks() == 2;
}

// It would wait for us otherwise; see wait_to_be_ended().
void Supervisor::let_init_go() {
  if (sandbox_.control.valid()) shutdown(sandbox_.control.get(), SHUT_WR);
}

// Init has reaped the command and whoever else there was.
bool Supervisor::only_init_is_left() const {
  return watched_.plan.cgroup.cpu_accounting && watched_.cgroup.tasks().value_or(2) < 2;
}

// Who is held goes on once nobody listens, and so must be killed before.
RunningSandbox Supervisor::release() {
  sandbox_.listener = notifications_.take_listener();
  return std::move(sandbox_);
}

void Supervisor::hear_signal() {
  signalfd_siginfo info{};
  if (read(watched_.signals, &info, sizeof info) != sizeof info) return;
  end(EndCause::kCanceled);
  if (info.ssi_signo == SIGQUIT) kill_everything();
}

// A fed run's client says when it begins, and ends it by leaving.
void Supervisor::hear_client() {
  const auto packet = os::receive_packet(watched_.client);
  const auto wall_time = packet.ok() ? contracts::begun(packet->bytes) : std::nullopt;
  if (!waits_ || !wall_time) {
    end(EndCause::kCanceled);
    watched_.client = -1;
    return;
  }
  waits_ = false;
  wall_end_ = now_ + std::min(*wall_time, watched_.plan.launcher.wall_time.value_or(*wall_time));
  if (started_) started_ = now_;
  next_check_ = now_ + kCheckEvery;
}

int Supervisor::wait_ms() const {
  MonoTime until = now_ + Millis(60'000);
  const auto at = [&](const std::optional<MonoTime>& time) {
    if (time) until = std::min(until, *time);
  };
  const SandboxPlan& plan = watched_.plan;
  at(outputs_.flush_at());
  at(kill_at_);
  at(notifications_.rests_until(now_));
  at(watched_.events.retry_at());
  if (watched_.input != nullptr) at(watched_.input->look_at());
  if (!started_) at(setup_deadline_);
  if (started_ && cause_ == EndCause::kNone) at(wall_end_);
  if (watched_.disk || plan.cgroup.memory_bytes || (plan.cpu_time && plan.cgroup.cpu_accounting))
    at(next_check_);
  return static_cast<int>(std::clamp<int64_t>((until - now_).count(), 0, 60'000));
}

void Supervisor::handle_control() {
  using MessageType = ControlMessage::Type;
  const auto message = receive_control(sandbox_.control.get(), false);
  if (!message) {
    if (errno != EAGAIN) sandbox_.control.reset();
    return;
  }
  switch (message->type) {
    case MessageType::kFailed:
      if (!setup_error_)
        setup_error_ = Error{Code::kInternal, "SANDBOX_SETUP_FAILED", message->text};
      break;
    case MessageType::kStarted:
      note_started();
      break;
    case MessageType::kNoExec:
      exec_error_ = message->number;
      break;
    case MessageType::kEnded:
      wait_status_ = message->number;
      main_cpu_ = Millis(message->cpu_ms);
      scratch_ = {message->text.find('B') != std::string::npos,
                  message->text.find('F') != std::string::npos};
      // The kernel now kills what the command left behind; a crowd of it is helped along. In a
      // grace it has what is left of that: init waits for it.
      if (!in_grace()) kill_at_ = now_ + kKillAgainAfter;
      break;
    case MessageType::kIdsMapped:
    case MessageType::kNoLoopback:
    case MessageType::kProc:
    case MessageType::kTerminals:
    case MessageType::kView:
    case MessageType::kListener:
    case MessageType::kRuleset:
    case MessageType::kInput:
    case MessageType::kGo:
      break;  // of the time before there was a run, or ours
  }
}

void Supervisor::note_started() {
  if (setup_error_ || exec_error_ || cause_ != EndCause::kNone) return;
  started_ = now_;
  if (!waits_ && !wall_end_ && watched_.plan.launcher.wall_time)
    wall_end_ = now_ + *watched_.plan.launcher.wall_time;
  if (watched_.tells_start) {
    watched_.events.add(FrameType::kStarted,
                        wire::to_json(wire::Value::Object{{"pid", sandbox_.pid}}));
  }
}

void Supervisor::handle_time() {
  const SandboxPlan& plan = watched_.plan;
  if (!started_ && now_ >= setup_deadline_ && !setup_error_) {
    setup_error_ =
        Error{Code::kInternal, "SANDBOX_SETUP_FAILED", "setting up took more than 30 seconds"};
    end(EndCause::kNone);
  }
  if (started_ && wall_end_ && now_ >= *wall_end_) end(EndCause::kWallTime);
  if (kill_at_ && now_ >= *kill_at_) kill_everything();
  if (now_ < next_check_ || !started_) return;
  next_check_ = now_ + (waits_ ? kCheckWaiting : kCheckEvery);
  if (watched_.disk) watched_.disk->look(now_);
  const Readings readings = watched_.cgroup.read();
  if (plan.cgroup.memory_bytes && readings.oom_kills > 0) end(EndCause::kOutOfMemory);
  if (plan.cpu_time && readings.cpu && *readings.cpu >= *plan.cpu_time) end(EndCause::kCpuTime);
}

void Supervisor::handle_disk(std::optional<DiskHit> hit) {
  if (!hit) return;
  disk_hit_ = hit;
  end(EndCause::kDisk);
}

void Supervisor::flush(bool all) {
  outputs_.flush(now_, all, [&](FrameType type, const std::string& piece) {
    watched_.events.add(type, piece);
  });
  if (events_lost_ || watched_.events.write_some().ok()) return;
  events_lost_ = true;  // nobody can learn of this run any more
  end(EndCause::kCanceled);
}

// The first cause stays, and with it its grace: a second one does not prolong it.
void Supervisor::end(EndCause cause) {
  if (cause_ == EndCause::kNone && !wait_status_) cause_ = cause;
  const Millis grace = started_ ? grace_before_kill(cause, watched_.plan) : Millis(0);
  if (grace <= Millis(0)) return kill_everything();
  const MonoTime until = now_ + grace;
  if (killed_ || (kill_at_ && *kill_at_ <= until)) return;
  kill_at_ = until;
  if (std::exchange(told_, true)) return;
  // Init hands it on to every process inside.
  raw::pidfd_send_signal(sandbox_.pidfd.get(), SIGTERM);
}

// Everything inside was told to end, and may still tidy up.
bool Supervisor::in_grace() const { return told_ && !killed_ && kill_at_; }

void Supervisor::kill_everything() {
  killed_ = true;
  kill_at_ = now_ + kKillAgainAfter;
  raw::pidfd_send_signal(sandbox_.pidfd.get(), SIGKILL);
  watched_.cgroup.kill_all();
}

void Supervisor::reap() {
  rusage used{};
  while (wait4(sandbox_.pid, nullptr, 0, &used) < 0 && errno == EINTR) {
  }
  tree_cpu_ = Millis((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                     (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
  ended_ = now_;
  reaped_ = true;
  sandbox_.pid = -1;
  while (sandbox_.control.valid()) handle_control();
}

Outcome Supervisor::outcome() {
  if (setup_error_) return outcome::SetupFailed{*setup_error_};
  if (exec_error_) return outcome::NotExecutable{*exec_error_};
  if (!started_ && cause_ == EndCause::kNone) {
    return outcome::SetupFailed{
        {Code::kInternal, "SANDBOX_SETUP_FAILED", "the sandbox ended before the command started"}};
  }
  outcome::Ended ended{cause_, wait_status_, std::max(main_cpu_, tree_cpu_), watched_.cgroup.read(),
                       scratch_};
  if (watched_.disk && !disk_hit_) disk_hit_ = watched_.disk->look_back();
  ended.disk = disk_hit_;
  ended.forbidden_call = notifications_.command_killed_for();
  return ended;
}

}  // namespace paddock::sandbox
