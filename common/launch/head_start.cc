#include "common/launch/head_start.h"

#include <algorithm>
#include <iterator>

namespace paddock::launch {
namespace {

constexpr Millis kShortUse{5};  // one that takes no longer has the processors for itself
constexpr Millis kAlone{25};    // since the one before
constexpr Millis kAnswer{2};    // from here to who asked
constexpr Millis kLater{60'000};
constexpr size_t kMostUsed = 16;  // each is a process, and somebody may be slow to tidy

}  // namespace

void HeadStart::begun() {
  const MonoTime now = clock_.mono();
  state_.with([&](State& state) {
    if (now - state.last_begun >= kAlone) state.quiet = now + kShortUse;
    state.last_begun = now;
  });
}

Millis HeadStart::rest() const {
  const MonoTime now = clock_.mono();
  return state_.with([&](const State& state) { return std::max(state.quiet - now, Millis(0)); });
}

bool HeadStart::keep(FedLaunch used) {
  const MonoTime due = clock_.mono() + kAnswer;
  return state_.with([&](State& state) {
    if (state.used.size() < kMostUsed)
      state.used.push_back({std::move(used), std::max(due, state.quiet)});
    return due > state.quiet;
  });
}

Millis HeadStart::tidy() {
  const MonoTime now = clock_.mono();
  std::vector<Used> over;  // ends without the lock
  return state_.with([&](State& state) {
    const auto due = std::partition(state.used.begin(), state.used.end(),
                                    [&](const Used& each) { return each.due > now; });
    over.assign(std::move_iterator(due), std::move_iterator(state.used.end()));
    state.used.erase(due, state.used.end());
    // What is kept from now on may rely on being looked at then.
    Millis next = state.quiet > now ? state.quiet - now : kLater;
    for (const Used& each : state.used) next = std::min(next, each.due - now);
    return next;
  });
}

}  // namespace paddock::launch
