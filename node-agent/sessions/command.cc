#include "node-agent/sessions/command.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "common/base/suspension.h"

namespace paddock::sessions {
namespace {

constexpr size_t kMaxResult = size_t{128} << 20;  // both streams, six bytes for each of theirs
constexpr Millis kResultTime{15'000};             // for a launcher to end what is over
// After this it may stand still, and is told to go on: its caller does not wait for much longer.
constexpr Millis kWakeTime{5'000};

// How long a result is waited for. One that was told to end has no more time than its grace.
class ResultTime {
 public:
  ResultTime(const Following& how, MonoTime now)
      : grace_(how.grace), end_(how.setup + how.wall_time + how.grace + kWakeTime, now) {}
  int poll_ms(MonoTime now) { return end_.poll_ms(now); }
  void note_end(MonoTime now) {
    if (end_.left(now) > grace_ + kResultTime) begin_again(now);
  }
  // False: nothing more can be done. A launcher that stands still is woken, once.
  bool look(launch::AttachedLaunch& command, MonoTime now) {
    if (end_.left(now) > Millis(0)) return true;
    if (!std::exchange(woken_, true) && command.wake()) {
      begin_again(now);
      return true;
    }
    command.destroy();
    return false;
  }

 private:
  void begin_again(MonoTime now) { end_ = LivedDeadline(grace_ + kResultTime, now); }

  const Millis grace_;
  bool woken_ = false;
  LivedDeadline end_;
};

// As much as the command takes now. A pipe without a reader is no fault: it wants no more.
void feed(launch::AttachedLaunch& command, std::string_view& rest) {
  while (!rest.empty()) {
    const ssize_t count = write(command.talk(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) break;
    rest.remove_prefix(static_cast<size_t>(count));
  }
  command.close_talk();
}

}  // namespace

Result<launch::AttachedLaunch> order_command(const std::string& socket,
                                             const contracts::LaunchRequest& request) {
  return launch::AttachedLaunch::prelaunch(socket, request, kMaxResult);
}

Result<contracts::SandboxResult> follow(launch::AttachedLaunch& command, const Following& how,
                                        const Clock& clock) {
  ResultTime time(how, clock.mono());
  std::array<pollfd, 4> fds = {{{command.events(), POLLIN, 0},
                                {how.stop, POLLIN, 0},
                                {how.kill, POLLIN, 0},
                                {command.talk(), POLLOUT, 0}}};
  auto& [events, stop, kill, talk] = fds;
  std::string_view input = how.input;
  while (!command.has_result()) {
    const int count = poll(fds.data(), static_cast<nfds_t>(fds.size()), time.poll_ms(clock.mono()));
    if (count == 0 && !time.look(command, clock.mono())) return launch::no_answer();
    if (kill.revents != 0) command.kill();
    if (stop.revents != 0) command.end();
    if (kill.revents != 0 || stop.revents != 0) time.note_end(clock.mono());
    if (kill.revents != 0) kill = stop = {-1, 0, 0};  // once
    if (stop.revents != 0) stop = {-1, 0, 0};
    if (talk.revents != 0) {
      feed(command, input);
      talk = {command.talk(), POLLOUT, 0};
    }
    if (events.revents != 0) TRY(command.read_events(how.on_output));
  }
  return command.take_result();
}

}  // namespace paddock::sessions
