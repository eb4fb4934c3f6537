// What every system's processes have in common.
#include "common/os/process.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace paddock::os {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kBlindPollMs = 5;

int remaining_ms(Steady::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

}  // namespace

bool alive(const ProcessIdentity& identity) { return identify(identity.pid) == identity; }

bool wait_gone(const ProcessIdentity& identity, int timeout_ms) {
  const auto deadline = Steady::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    const int left = remaining_ms(deadline);
    const Fd exit = exit_of(identity);
    if (!exit.valid() && !alive(identity)) return true;
    // One that is about to end cannot always be watched any more.
    pollfd waited = {exit.get(), POLLIN, 0};
    if (::poll(&waited, 1, exit.valid() ? left : std::min(left, kBlindPollMs)) > 0) return true;
    if (left == 0) return !alive(identity);
  }
}

}  // namespace paddock::os
