#include "node-agent/sessions/command.h"

#include <poll.h>

#include <array>

#include "common/base/suspension.h"

namespace paddock::sessions {
namespace {

constexpr size_t kMaxResult = size_t{128} << 20;  // both streams, six bytes for each of theirs
constexpr Millis kResultTime{15'000};             // for a launcher to end what is over

}  // namespace

Result<launch::AttachedLaunch> order_command(const std::string& socket,
                                             const contracts::LaunchRequest& request) {
  return launch::AttachedLaunch::prelaunch(socket, request, kMaxResult);
}

Result<contracts::SandboxResult> follow(launch::AttachedLaunch& command, const Following& how,
                                        const Clock& clock) {
  LivedDeadline end(how.wall_time + how.grace + kResultTime, clock.mono());
  std::array<pollfd, 3> fds = {
      {{command.events(), POLLIN, 0}, {how.stop, POLLIN, 0}, {how.kill, POLLIN, 0}}};
  auto& [events, stop, kill] = fds;
  while (!command.has_result()) {
    const int count = poll(fds.data(), static_cast<nfds_t>(fds.size()), end.poll_ms(clock.mono()));
    if (count == 0 && end.left(clock.mono()) <= Millis(0)) return launch::launcher_lost();
    if (kill.revents != 0) command.kill();
    if (stop.revents != 0) command.end();
    if (kill.revents != 0) kill = stop = {-1, 0, 0};  // once
    if (stop.revents != 0) stop = {-1, 0, 0};
    if (events.revents != 0) TRY(command.read_events(how.on_output));
  }
  return command.take_result();
}

}  // namespace paddock::sessions
