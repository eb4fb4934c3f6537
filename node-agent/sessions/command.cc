#include "node-agent/sessions/command.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/suspension.h"
#include "node-agent/sessions/feed.h"

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

constexpr int kLookAgainMs = 20;  // whether output is taken now

}  // namespace

Result<launch::AttachedLaunch> order_command(const std::string& socket,
                                             const contracts::LaunchRequest& request) {
  return launch::AttachedLaunch::prelaunch(socket, request, kMaxResult);
}

Result<contracts::SandboxResult> follow(launch::AttachedLaunch& command, const Following& how,
                                        const Clock& clock) {
  ResultTime time(how, clock.mono());
  Feed feed(command, how.input, how.live);
  pollfd stop{how.stop, POLLIN, 0};
  pollfd kill{how.kill, POLLIN, 0};
  while (!command.has_result()) {
    const bool takes = !how.takes_output || how.takes_output();
    std::array<pollfd, 3 + Feed::kPlaces> fds = {
        {{takes ? command.events() : -1, POLLIN, 0}, stop, kill}};
    const auto places = feed.places();
    std::ranges::copy(places, fds.begin() + 3);
    int wait = time.poll_ms(clock.mono());
    if (!takes) wait = std::min(wait, kLookAgainMs);
    const int count = poll(fds.data(), static_cast<nfds_t>(fds.size()), wait);
    if (count == 0 && !time.look(command, clock.mono())) return launch::no_answer();
    const pollfd& events = fds[0];
    stop = fds[1];
    kill = fds[2];
    if (kill.revents != 0) command.kill();
    if (stop.revents != 0) command.end();
    if (kill.revents != 0 || stop.revents != 0) time.note_end(clock.mono());
    if (kill.revents != 0) kill = stop = {-1, 0, 0};  // once
    if (stop.revents != 0) stop = {-1, 0, 0};
    feed.handle({fds[3], fds[4], fds[5], fds[6]});
    if (events.revents != 0) TRY(command.read_events(how.on_output));
  }
  return command.take_result();
}

}  // namespace paddock::sessions
