// Launches of the sessions in use that wait for a next command: all that can be done before it is
// known is done. Thread-safe; starts no thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "node-agent/launch/deferred_teardown.h"

namespace paddock::sessions {

class PrelaunchPool {
 public:
  // Makes the next launch of a session.
  using Order = std::function<Result<launch::AttachedLaunch>(const std::string& uid)>;
  // Both outlive it.
  PrelaunchPool(const launch::DeferredTeardown& deferred_teardown, const Clock& clock)
      : deferred_teardown_(deferred_teardown), clock_(clock) {}

  // The session has just been used: the next command may come soon.
  void want(const std::string& uid);
  // The launch that waits for the session's next command, if there is one.
  std::optional<launch::AttachedLaunch> take(const std::string& uid);
  // The session has ended.
  void forget(const std::string& uid);
  // All sessions: what was made before is not to be used any more.
  void discard();
  // Prelaunches one run that is wanted, and ends those that nobody used in time. Returns how long
  // to wait before the next call, if nothing is wanted before.
  Millis maintain(const Order& order);

 private:
  struct Next {
    std::optional<launch::AttachedLaunch> launch;
    bool being_made = false;
    MonoTime until{};
  };
  using State = std::map<std::string, Next>;
  void keep(const std::string& uid, Result<launch::AttachedLaunch> made);

  const launch::DeferredTeardown& deferred_teardown_;
  const Clock& clock_;
  std::condition_variable made_;
  Guarded<State> state_;
};

}  // namespace paddock::sessions
