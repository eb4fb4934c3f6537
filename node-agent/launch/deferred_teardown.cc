#include "node-agent/launch/deferred_teardown.h"

#include <algorithm>
#include <iterator>

namespace paddock::launch {
namespace {

constexpr Millis kShortUse{5};  // one that takes no longer has the processors for itself
constexpr Millis kAlone{25};    // since the one before
constexpr Millis kAnswer{2};    // from here to who asked
constexpr Millis kLater{60'000};
constexpr size_t kMostUsed = 16;  // each is a process, and somebody may be slow to clean up

}  // namespace

DeferredTeardown::Use DeferredTeardown::begin() {
  const MonoTime now = clock_.mono();
  state_.with([&](State& state) {
    ++state.under_way;
    if (now - state.last_begun >= kAlone) state.quiet = now + kShortUse;
    state.last_begun = now;
  });
  return Use(*this);
}

void DeferredTeardown::end_use() {
  state_.with([](State& state) { --state.under_way; });
}

int64_t DeferredTeardown::under_way() const {
  return state_.with([](const State& state) { return state.under_way; });
}

Millis DeferredTeardown::rest() const {
  const MonoTime now = clock_.mono();
  return state_.with([&](const State& state) { return std::max(state.quiet - now, Millis(0)); });
}

bool DeferredTeardown::keep(AttachedLaunch used) {
  const MonoTime answered = clock_.mono() + kAnswer;
  return state_.with([&](State& state) {
    if (state.under_way > processors_ || state.used.size() >= kMostUsed) return false;
    const MonoTime due = std::max(answered, state.quiet);
    state.used.push_back({std::move(used), due});
    return state.next_look > due;
  });
}

Millis DeferredTeardown::clean_up() {
  const MonoTime now = clock_.mono();
  std::vector<UsedLaunch> over;  // ends without the lock
  return state_.with([&](State& state) {
    const auto due = std::partition(state.used.begin(), state.used.end(),
                                    [&](const UsedLaunch& each) { return each.due > now; });
    over.assign(std::move_iterator(due), std::move_iterator(state.used.end()));
    state.used.erase(due, state.used.end());
    // Launches that are kept from now on are looked at by that time.
    Millis next = state.quiet > now ? state.quiet - now : kLater;
    for (const UsedLaunch& each : state.used) next = std::min(next, each.due - now);
    state.next_look = now + next;
    return next;
  });
}

}  // namespace paddock::launch
