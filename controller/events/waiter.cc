#include "controller/events/waiter.h"

#include <algorithm>

#include "controller/base/idle_thread.h"

namespace paddock::events {
void WakeupEvent::wake() {
  state_.with([](State& state) { state.woken = true; });
  changed_.notify_one();
}

void WakeupEvent::end() {
  state_.with([](State& state) { state.ended = true; });
  changed_.notify_one();
}

bool WakeupEvent::wait(Millis limit) {
  return state_.wait_for(
      changed_, limit, [](const State& state) { return state.woken || state.ended; },
      [](State& state, bool) { return std::exchange(state.woken, false); });
}

bool WakeupEvent::ended() const {
  return state_.with([](const State& state) { return state.ended; });
}

Waiter::Waiter(DisconnectToken client)
    : client_(std::move(client)), watch_(client_.watch([wakeup = wakeup_] { wakeup->end(); })) {}

bool Waiter::wait(Millis limit) {
  const bool told = watch_ != nullptr || !client_.connected;
  Millis step = std::min(limit, kIdleAfter);
  for (Millis left = limit;;) {
    if (wakeup_->wait(step)) return true;
    if (left == limit) thread_is_idle();
    left -= step;
    if (left <= Millis(0) || gone()) return false;
    step = told ? left : std::min(left, DisconnectToken::kAskEvery);
  }
}

}  // namespace paddock::events
