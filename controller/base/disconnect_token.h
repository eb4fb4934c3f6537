// Whether a client that waits for an answer is still connected, and a call for when it is not.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "common/base/units.h"

namespace paddock {

// While it lives, `wake` may be called. Never release it while holding a lock that `wake` takes.
using DisconnectWatch = std::shared_ptr<void>;

struct DisconnectToken {
  // Arranges that `wake` is called once `connected` turns false: at most once, soon, on any thread;
  // it must return quickly. Where this is empty, or returns an empty watch, there is no such call:
  // check connected() every kAskEvery.
  using WhenGone = std::function<DisconnectWatch(std::function<void()> wake)>;
  static constexpr Millis kAskEvery{2'000};

  // False once the client has disconnected or the server stops. Cheap. Empty: this client cannot
  // disconnect.
  std::function<bool()> connected = {};
  WhenGone when_gone = {};

  bool gone() const { return connected && !connected(); }
  DisconnectWatch watch(std::function<void()> wake) const {
    return when_gone ? when_gone(std::move(wake)) : nullptr;
  }
};

}  // namespace paddock
