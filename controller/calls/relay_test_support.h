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

class HeardBell final : public Bell {
 public:
  void ring() override {
    rung_.with([](bool& rung) { rung = true; });
    changed_.notify_all();
  }
  void wait(Millis limit) {
    rung_.wait_for(
        changed_, limit, [](const bool& rung) { return rung; },
        [](bool& rung, bool) { rung = false; });
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
  const auto bell = std::make_shared<HeardBell>();
  const DisconnectWatch watching = agent.watch([bell] { bell->ring(); });
  while (const auto limit = lane->wait(bell)) {
    if (agent.gone()) break;
    bell->wait(watching ? *limit : std::min(*limit, DisconnectToken::kAskEvery));
  }
  return lane->finish();
}

}  // namespace paddock::calls
