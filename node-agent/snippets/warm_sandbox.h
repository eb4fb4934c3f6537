// One sandbox whose program waits for its input: launched, perhaps long before it is needed, fed
// once, and gone. Its destruction ends it. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/base/suspension.h"
#include "common/base/time.h"
#include "node-agent/launch/attached_launch.h"

namespace paddock::snippets {

class WarmSandbox {
 public:
  // Orders a launch; errors as launch::order_launch().
  static Result<std::unique_ptr<WarmSandbox>> launch(const std::string& socket,
                                                     const contracts::LaunchRequest& request);

  // The program has said that it waits. It says so once.
  bool ready();
  bool ended() const { return launch_.ended(); }
  // The other end of the program's standard input.
  int talk() const { return launch_.talk(); }

  // The wall time passes from now on; as much of the input is sent as there is room for.
  void begin(std::string_view input, Millis wall_time, const Clock& clock);
  // Sends the rest and waits for the end. Unavailable: LAUNCHER_LOST, or DROPPED once `drop` is
  // readable (-1: never): it ends with this object. `input` is begin()'s.
  Result<contracts::SandboxResult> finish(int drop, const Clock& clock);
  // Hands over the launch once it has finished.
  launch::AttachedLaunch release() && { return std::move(launch_); }
  Result<contracts::SandboxResult> run(std::string_view input, Millis wall_time, int drop,
                                       const Clock& clock) {
    begin(input, wall_time, clock);
    return finish(drop, clock);
  }

 private:
  explicit WarmSandbox(launch::AttachedLaunch launched) : launch_(std::move(launched)) {}
  void send();

  launch::AttachedLaunch launch_;
  bool ready_ = false;
  bool woken_ = false;  // as its time was long over, and it might stand still
  std::string_view unsent_;
  std::optional<LivedDeadline> end_;  // no result is waited for longer
};

}  // namespace paddock::snippets
