// One sandbox whose program waits for its input: launched, perhaps long before it is needed, fed
// once, and gone. Its destruction ends it. One thread at a time.
#pragma once

#include <memory>
#include <string>

#include "common/base/time.h"
#include "common/launch/fed_launch.h"

namespace paddock::snippets {

class FedSandbox {
 public:
  // What launch::order_launch() says.
  static Result<std::unique_ptr<FedSandbox>> launch(const std::string& socket,
                                                    const contracts::LaunchRequest& request);

  // The program has said that it waits. It says so once.
  bool ready();
  bool ended() const { return launch_.ended(); }
  // The other end of the program's standard input.
  int talk() const { return launch_.talk(); }

  // The wall time passes from now on; the input is sent, and the end waited for. Unavailable:
  // LAUNCHER_LOST, or DROPPED once `drop` is readable (-1: never): then it has been ended.
  Result<contracts::SandboxResult> run(std::string_view input, Millis wall_time, int drop,
                                       const Clock& clock);

 private:
  explicit FedSandbox(launch::FedLaunch launched) : launch_(std::move(launched)) {}
  void send(std::string_view& input);

  launch::FedLaunch launch_;
  bool ready_ = false;
};

}  // namespace paddock::snippets
