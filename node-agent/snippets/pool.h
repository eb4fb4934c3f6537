// Interpreters that wait in sandboxes of their own, each for one request. Thread-safe; starts no
// thread: maintain() is called by one that has nothing else to do.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "common/base/guarded.h"
#include "node-agent/snippets/pool_pace.h"
#include "node-agent/snippets/warm_sandbox.h"

namespace paddock::snippets {

class Pool {
 public:
  using Make = std::function<Result<std::unique_ptr<WarmSandbox>>()>;
  Pool(Make make, PoolPace pace, const Clock& clock)
      : make_(std::move(make)), clock_(clock), state_(State{{}, pace, 0, {}}) {}

  // The one that has waited longest; nothing: none is ready.
  std::unique_ptr<WarmSandbox> take();
  enum class Maintained { kNothing, kMade, kWanted };
  // Makes one if one is wanted and `may` says so (kWanted: it does not); ends those that are too
  // old.
  Maintained maintain(bool may);
  // The number of sandboxes that are starting.
  int64_t warming();
  int64_t ready();
  void discard();

 private:
  struct Waiting {
    std::unique_ptr<WarmSandbox> sandbox;
    MonoTime since{};
  };
  struct State {
    std::deque<Waiting> waiting;
    PoolPace pace;
    uint64_t epoch = 0;  // of discard()
    std::optional<MonoTime> rests_until;
  };
  static int64_t count_ready(State& state);

  Make make_;
  const Clock& clock_;
  Guarded<State> state_;
};

}  // namespace paddock::snippets
