// One thread that waits for topics of a Notifier, on behalf of a client who may hang up meanwhile.
#pragma once

#include <condition_variable>
#include <memory>

#include "common/base/guarded.h"
#include "common/base/units.h"
#include "controller/base/disconnect_token.h"
#include "controller/base/waker.h"

namespace paddock::events {

// Wakes one waiting thread. Thread-safe.
class WakeupEvent final : public Waker {
 public:
  void wake() override;
  // Also ends all waits that follow.
  void end();
  // True if it was woken since the last wait, or before `limit` passed.
  bool wait(Millis limit);
  bool ended() const;

 private:
  struct State {
    bool woken = false;
    bool ended = false;
  };
  Guarded<State> state_;
  std::condition_variable changed_;
};

// Only one thread uses it. A stream keeps one for all its waits.
class Waiter {
 public:
  explicit Waiter(DisconnectToken client = {});

  // Until somebody wakes it, `limit` passed, or the client is gone: then false.
  bool wait(Millis limit);
  bool gone() const { return wakeup_->ended() || client_.gone(); }
  const std::shared_ptr<WakeupEvent>& wakeup() const { return wakeup_; }

 private:
  std::shared_ptr<WakeupEvent> wakeup_ = std::make_shared<WakeupEvent>();
  DisconnectToken client_;
  DisconnectWatch watch_;  // let go of first
};

}  // namespace paddock::events
