// For tests: a lane whose request is held on the calling thread.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <utility>

#include "common/base/guarded.h"
#include "controller/base/disconnect_token.h"
#include "controller/calls/relay.h"

namespace paddock::calls {

class HeardWaker final : public Waker {
 public:
  void wake() override {
    rung_.with([](bool& woken) { woken = true; });
    changed_.notify_all();
  }
  void wait(Millis limit) {
    rung_.wait_for(
        changed_, limit, [](const bool& woken) { return woken; },
        [](bool& woken, bool) { woken = false; });
  }

 private:
  Guarded<bool> rung_{false};
  std::condition_variable changed_;
};

// Serves one request of a lane until there is a call, its wait is over, or its agent is gone.
inline Result<contracts::CallsAnswer> serve_here(Relay& relay, const LaneKey& key,
                                                 const contracts::CallsRequest& request,
                                                 std::function<bool()> eligible,
                                                 const DisconnectToken& agent, const Clock& clock) {
  ASSIGN_OR_RETURN(const auto lane, relay.open(key, request, std::move(eligible), clock));
  const auto waker = std::make_shared<HeardWaker>();
  const DisconnectWatch watching = agent.watch([waker] { waker->wake(); });
  while (const auto limit = lane->wait(waker)) {
    if (agent.gone()) break;
    waker->wait(watching ? *limit : std::min(*limit, DisconnectToken::kAskEvery));
  }
  return lane->finish();
}

}  // namespace paddock::calls
