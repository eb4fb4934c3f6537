#include "node-agent/snippets/pool.h"

#include <algorithm>

#include "common/base/log.h"

namespace paddock::snippets {
namespace {

constexpr Millis kOldest{600'000};
constexpr Millis kAfterFailure{5'000};

}  // namespace

int64_t Pool::count_ready(State& state) {
  return std::ranges::count_if(state.waiting, [](auto& each) { return each.sandbox->ready(); });
}

std::unique_ptr<WarmSandbox> Pool::take() {
  const MonoTime now = clock_.mono();
  std::vector<Waiting> dead;  // ended without the lock
  return state_.with([&](State& state) -> std::unique_ptr<WarmSandbox> {
    for (auto each = state.waiting.begin(); each != state.waiting.end();) {
      if (each->sandbox->ended()) {
        dead.push_back(std::move(*each));
        each = state.waiting.erase(each);
        continue;
      }
      if (!each->sandbox->ready()) {
        ++each;
        continue;
      }
      auto out = std::move(each->sandbox);
      state.waiting.erase(each);
      state.pace.asked(count_ready(state), now);
      return out;
    }
    state.pace.asked(-1, now);
    return nullptr;
  });
}

Pool::Maintained Pool::maintain(bool may) {
  const MonoTime now = clock_.mono();
  std::vector<Waiting> old;
  uint64_t epoch = 0;
  const bool wanted = state_.with([&](State& state) {
    state.pace.tick(now);
    while (!state.waiting.empty() &&
           (now - state.waiting.front().since > kOldest ||
            static_cast<int64_t>(state.waiting.size()) > state.pace.target())) {
      old.push_back(std::move(state.waiting.front()));
      state.waiting.pop_front();
    }
    epoch = state.epoch;
    return static_cast<int64_t>(state.waiting.size()) < state.pace.target() &&
           (!state.rests_until || now >= *state.rests_until);
  });
  if (!wanted) return Maintained::kNothing;
  if (!may) return Maintained::kWanted;
  auto made = make_();
  if (!made.ok()) log_warn("no warm sandbox", {{"error", made.error().describe()}});
  return state_.with([&](State& state) {
    if (!made.ok()) {
      state.rests_until = now + kAfterFailure;
      return Maintained::kNothing;
    }
    if (state.epoch == epoch) state.waiting.push_back({std::move(*made), now});
    return Maintained::kMade;
  });
}

int64_t Pool::warming() {
  return state_.with(
      [](State& state) { return static_cast<int64_t>(state.waiting.size()) - count_ready(state); });
}

int64_t Pool::ready() {
  return state_.with([](State& state) { return count_ready(state); });
}

void Pool::discard() {
  std::deque<Waiting> gone;
  state_.with([&](State& state) {
    ++state.epoch;
    gone.swap(state.waiting);
  });
}

}  // namespace paddock::snippets
