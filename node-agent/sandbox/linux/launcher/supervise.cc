#include "node-agent/sandbox/linux/launcher/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "common/os/proc_text.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/linux/child/control.h"

namespace paddock::sandbox {
namespace {

using contracts::FrameType;

constexpr Millis kLookEvery{100};  // how often the workspace and sockets are measured
constexpr Millis kLookWaiting{5'000};
constexpr Millis kShortRun{50};  // a run that ends sooner is not worth a thread
// This long after the kill, the result no longer waits for the kernel to take the dead apart.
constexpr Millis kEnoughToDie{100};

std::unique_ptr<Notifications> hear_questions(RunningSandbox& sandbox, const Watched& watched) {
  auto out = std::make_unique<Notifications>(watched.choices, watched.plan.reach,
                                             watched.plan.tools, watched.clock);
  out->listen_on(std::move(sandbox.listener));
  if (watched.may_end_early) out->hold_exits();
  return out;
}

Error setup_error(std::string message) {
  return {Code::kInternal, "SANDBOX_SETUP_FAILED", std::move(message)};
}

// Whether the sandbox's first process has killed all others of its namespace, as it does when it
// ends, and does nothing any more but wait for them.
bool waits_for_the_killed(pid_t init) {
  constexpr unsigned kExiting = 4;  // PF_EXITING
  const std::string text = os::proc_text(AT_FDCWD, cat("/proc/", init, "/stat").c_str(), 4096);
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > text.size()) return false;
  // From field 3 on: the state; field 9: the flags.
  const std::vector<std::string> fields = split(std::string_view(text).substr(name_end + 2), ' ');
  const auto flags = fields.size() > 6 ? parse_integer<unsigned>(fields[6]) : std::nullopt;
  return flags && (*flags & kExiting) != 0 && fields[0] == "S";
}

// The descriptor whose other end is the reader of the events. A file has none: its reader may come
// later.
int reader_of(const EventWriter& events) { return events.is_file() ? -1 : events.fd(); }

}  // namespace

Supervisor::Supervisor(RunningSandbox sandbox, const Watched& watched, int64_t inline_bytes)
    : sandbox_(std::move(sandbox)),
      watched_(watched),
      relay_(std::move(sandbox_.out), std::move(sandbox_.err), watched.plan.launcher, inline_bytes,
             watched.events),
      answerer_(hear_questions(sandbox_, watched), watched.clock),
      keeper_({watched.plan, watched.cgroup, watched.clock, sandbox_.pidfd.get(), watched.signals,
               watched.client, reader_of(watched.events), watched.waits}),
      now_(watched.clock.mono()),
      next_look_(now_ + kLookEvery) {}

Outcome Supervisor::run() {
  // Writing a frame to a disk can block, and time must be kept meanwhile.
  if (watched_.events.is_file()) keeper_.start_thread();
  while (!reaped_ && !over_) {
    wait_for_something();
    look_at_use();
    flush(false);
  }
  keeper_.stop();
  answerer_.stop();
  if (watched_.disk) watched_.disk->let_go_on();
  // No process inside writes any more, so the pipes hold everything that will ever come.
  relay_.finish(now_);
  flush(true);
  if (watched_.execs != nullptr) watched_.execs->settle();
  return outcome();
}

// The order of adding is the order in which what became ready is handled: what the command wrote
// and asked before its end comes first, the end of the sandbox last.
void Supervisor::wait_for_something() {
  PollSet turn;
  turn.add(sandbox_.control.get(), POLLIN, [this](short) { handle_control(); });
  relay_.add_to(turn, now_);
  turn.add(answerer_.fd(now_), POLLIN, [this](short seen) { answerer_.handle(seen, now_); });
  if (watched_.disk != nullptr) {
    turn.add(watched_.disk->fd(), POLLIN,
             [this](short) { handle_disk(watched_.disk->take(now_)); });
  }
  if (watched_.locks != nullptr) {
    turn.add(watched_.locks->fd(), POLLIN, [this](short) {
      const EndCause cause = watched_.locks->take(now_);
      if (cause != EndCause::kNone) keeper_.end(cause, now_);
    });
  }
  if (watched_.input != nullptr) {
    turn.add_group(watched_.input->waits_for(),
                   [this](const auto& seen) { watched_.input->handle(seen, now_); });
  }
  if (watched_.execs != nullptr)
    turn.add(watched_.execs->fd(), POLLIN, [this](short) { watched_.execs->take_client(); });
  turn.add_group(keeper_.waits_for(), [this](const auto& seen) { keeper_.handle(seen, now_); });
  turn.add(sandbox_.pidfd.get(), POLLIN, [this](short) { reap(); });
  turn.wait(wait_ms());
  now_ = watched_.clock.mono();
  turn.call_ready();
  if (!reaped_) look_for_the_end();
}

// Whether the run is over though init is still there; else lets go on who is held at its end.
void Supervisor::look_for_the_end() {
  if (answerer_.found().holds_exit()) {
    if (!ends_here()) return answerer_.found().let_exit();
    wait_status_ = 0;
  } else if (only_the_kernel_works()) {
    // The run was killed, so its result is known: fall through and end the loop.
  } else if (!wait_status_) {
    return;
  } else if (!only_init_is_left()) {
    return let_init_go();
  }
  ended_ = now_;
  over_ = true;
}

// Whether the thread that wants to exit is the command's only one, with no other process but init.
// The filter asks about successful exits only: to explain a failure we may need what comes after
// it.
bool Supervisor::ends_here() const {
  const TimeKeeper::State state = keeper_.state();
  return state.started && state.cause == EndCause::kNone && !setup_error_ && !exec_error_ &&
         !wait_status_ && watched_.cgroup.tasks() == 2;
}

// Init waits for the launcher at its end (wait_to_be_ended() in init.cc); this lets it go on.
void Supervisor::let_init_go() {
  if (sandbox_.control.valid()) shutdown(sandbox_.control.get(), SHUT_WR);
}

// Whether init has reaped the command and every other process.
bool Supervisor::only_init_is_left() const {
  return watched_.plan.cgroup.cpu_accounting && watched_.cgroup.tasks().value_or(2) < 2;
}

// Whether all processes are dead and only the kernel is still busy with their memory. That may take
// long, and no code of the command executes any more.
bool Supervisor::only_the_kernel_works() const {
  const auto killed = keeper_.state().killed;
  return killed && now_ >= *killed + kEnoughToDie && waits_for_the_killed(sandbox_.pid);
}

// A thread that is held at its exit goes on when the listener closes. So the caller gets the
// listener along with the process, and kills the process first.
RunningSandbox Supervisor::release() {
  sandbox_.listener = answerer_.take_listener();
  return std::move(sandbox_);
}

Millis Supervisor::duration() const {
  const auto started = keeper_.state().started;
  return started && ended_ ? *ended_ - *started : Millis(0);
}

int Supervisor::wait_ms() const {
  MonoTime until = relay_.next(now_, now_ + Millis(60'000));
  const auto at = [&](const std::optional<MonoTime>& time) {
    if (time) until = std::min(until, *time);
  };
  const TimeKeeper::State state = keeper_.state();
  at(answerer_.rests_until(now_));
  at(keeper_.next());
  if (state.started && !state.waits && !keeper_.has_thread())
    at(std::max(*state.started + kShortRun, next_try_));
  if (state.killed) at(std::max(*state.killed + kEnoughToDie, now_ + Millis(10)));
  if (watched_.input != nullptr) at(watched_.input->look_at());
  const bool looks = watched_.disk != nullptr || watched_.sockets != nullptr ||
                     watched_.locks != nullptr || watched_.shared != nullptr;
  if (looks && state.started && !state.killed) at(next_look_);
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
      if (!setup_error_) setup_error_ = setup_error(message->text);
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
      keeper_.note_ended(now_);
      // The run's end waits for none of them.
      if (watched_.execs != nullptr) watched_.execs->end_all();
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
    case MessageType::kExec:
    case MessageType::kSignal:
    case MessageType::kOutput:
    case MessageType::kErrors:
    case MessageType::kTerminal:
    case MessageType::kTerminate:
    case MessageType::kAllKilled:
      break;  // sent before the run begins, or by the launcher itself
  }
}

void Supervisor::note_started() {
  if (setup_error_ || exec_error_ || !keeper_.note_started(now_)) return;
  if (watched_.tells_start) {
    watched_.events.add(FrameType::kStarted,
                        wire::to_json(wire::Value::Object{{"pid", sandbox_.pid}}));
  }
  if (watched_.locks != nullptr) watched_.locks->begin();
}

void Supervisor::look_at_use() {
  const TimeKeeper::State state = keeper_.state();
  if (!state.started) return;
  if (!state.waits && now_ >= *state.started + kShortRun && now_ >= next_try_) {
    keeper_.start_thread();
    next_try_ = now_ + kLookWaiting;  // the host may have no thread to give
  }
  if (!state.waits) next_look_ = std::min(next_look_, now_ + kLookEvery);
  if (now_ < next_look_ || state.killed) return;
  next_look_ = now_ + (state.waits ? kLookWaiting : kLookEvery);
  if (watched_.sockets != nullptr && watched_.sockets->look(watched_.clock))
    keeper_.end(EndCause::kSockets, now_);
  if (watched_.shared != nullptr && watched_.shared->look(watched_.clock))
    keeper_.end(EndCause::kSharedMemory, now_);
  if (watched_.locks != nullptr) watched_.locks->look(now_);
  if (watched_.disk == nullptr) return;
  watched_.disk->look(now_);
  handle_disk(watched_.disk->overdue(now_));
}

void Supervisor::handle_disk(std::optional<DiskHit> hit) {
  if (!hit) return;
  disk_hit_ = hit;
  keeper_.end(EndCause::kDisk, now_);
}

void Supervisor::flush(bool all) {
  const bool lost_before = relay_.events_lost();
  if (relay_.flush(now_, all) || lost_before) return;
  keeper_.end(EndCause::kCanceled, now_);
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
  const TimeKeeper::State state = keeper_.state();
  if (setup_error_) return outcome::SetupFailed{*setup_error_};
  if (state.late) return outcome::SetupFailed{setup_error("setting up took more than 30 seconds")};
  if (exec_error_) return outcome::NotExecutable{*exec_error_};
  if (!state.started && state.cause == EndCause::kNone)
    return outcome::SetupFailed{setup_error("the sandbox ended before the command started")};
  outcome::Ended ended{state.cause, wait_status_, std::max(main_cpu_, tree_cpu_),
                       watched_.cgroup.read(), scratch_};
  // Measuring a large folder takes long: it is skipped where we know already what ended the run.
  const bool measures = watched_.disk && !disk_hit_ && state.cause == EndCause::kNone;
  if (measures) disk_hit_ = watched_.disk->look_back();
  ended.disk = disk_hit_;
  ended.forbidden_call = answerer_.found().command_killed_for();
  ended.limit_signals_sent = answerer_.found().limit_signals_sent();
  if (watched_.execs != nullptr)
    ended.limit_signals_sent.merge(watched_.execs->limit_signals_sent());
  return ended;
}

}  // namespace paddock::sandbox
