#include "node-agent/sessions/command.h"

#include <poll.h>

#include <algorithm>

namespace paddock::sessions {
namespace {

constexpr size_t kMaxResult = size_t{128} << 20;  // both streams, six bytes for each of theirs
constexpr Millis kResultTime{15'000};             // for a launcher to end what is over

Millis wall_time_of(const contracts::LaunchRequest& request) {
  const auto& wall = request.policy.limits.wall_time;
  return wall ? wall->value : Millis(std::chrono::hours(24));
}

}  // namespace

Result<CommandEnd> run_command(const CommandRun& run, const Clock& clock) {
  ASSIGN_OR_RETURN(auto command, launch::FedLaunch::order(run.socket, run.request, kMaxResult));
  command.close_talk();  // a command has no input: it reads the end of it
  const Millis wall = wall_time_of(run.request);
  command.begin(wall);
  const MonoTime end = clock.mono() + wall + kResultTime;
  std::vector<pollfd> fds = {{command.events(), POLLIN, 0}};
  for (const int stop : run.stops) fds.push_back({stop, POLLIN, 0});
  while (!command.has_result()) {
    const auto left = std::clamp<int64_t>((end - clock.mono()).count(), 0, 60'000);
    const int count = poll(fds.data(), fds.size(), static_cast<int>(left));
    if (count == 0 && clock.mono() >= end) return launch::launcher_lost();
    const auto stops = std::next(fds.begin());
    if (std::any_of(stops, fds.end(), [](const pollfd& fd) { return fd.revents != 0; })) {
      command.end();
      std::fill(stops, fds.end(), pollfd{-1, 0, 0});  // once
    }
    if (fds[0].revents != 0) TRY(command.read_events(run.on_output));
  }
  auto result = command.take_result();
  return CommandEnd{std::move(result), std::move(command)};
}

}  // namespace paddock::sessions
