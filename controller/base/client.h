// Somebody who waits for an answer, and may hang up meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "common/base/units.h"

namespace paddock {

// While it lives the wake may come. Let go of it without a lock that the wake takes.
using DisconnectWatch = std::shared_ptr<void>;

struct Client {
  // Has `wake` called once `connected` turns false: at most once, soon, on any thread; it must be
  // brief. Empty, or an empty watch: nobody tells, so ask now and then.
  using WhenGone = std::function<DisconnectWatch(std::function<void()> wake)>;
  static constexpr Millis kAskEvery{2'000};

  // False once the client is gone, or we stop. Cheap. Empty: nobody can hang up.
  std::function<bool()> connected = {};
  WhenGone when_gone = {};

  bool gone() const { return connected && !connected(); }
  DisconnectWatch watch(std::function<void()> wake) const {
    return when_gone ? when_gone(std::move(wake)) : nullptr;
  }
};

}  // namespace paddock
