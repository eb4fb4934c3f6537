// Somebody who waits for an answer, and may hang up meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace paddock {

// While it lives the wake may come. Let go of it without a lock that the wake takes.
using HangupWatch = std::shared_ptr<void>;

struct Client {
  // False once the client is gone, or we stop. Cheap. Empty: nobody can hang up.
  std::function<bool()> connected = {};
  // Has `wake` called once that turns false: at most once, soon, on any thread; it must be brief.
  // Empty, or an empty watch: nobody tells, so ask now and then.
  std::function<HangupWatch(std::function<void()> wake)> when_gone = {};

  bool gone() const { return connected && !connected(); }
  HangupWatch watch(std::function<void()> wake) const {
    return when_gone ? when_gone(std::move(wake)) : nullptr;
  }
};

}  // namespace paddock
