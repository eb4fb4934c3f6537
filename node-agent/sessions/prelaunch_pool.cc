#include "node-agent/sessions/prelaunch_pool.h"

#include <algorithm>
#include <vector>

namespace paddock::sessions {
namespace {

constexpr size_t kMost = 8;         // each is three processes that wait
constexpr Millis kUseful{10'000};   // since the session's last command
constexpr Millis kCrowded{5};       // before it is looked again whether a processor is left
constexpr Millis kPatience{1'000};  // for one that is being made
constexpr Millis kLater{60'000};

}  // namespace

void PrelaunchPool::want(const std::string& uid) {
  state_.with([&](State& state) {
    // The pool stays as it is: launches that exist are as likely to be used as a new one, and need
    // not be made.
    if (state.size() >= kMost && !state.contains(uid)) return;
    state[uid].until = clock_.mono() + kUseful;
  });
}

std::optional<launch::AttachedLaunch> PrelaunchPool::take(const std::string& uid) {
  const auto settled = [&](const State& state) {
    const auto found = state.find(uid);
    return found == state.end() || !found->second.being_made;
  };
  return state_.wait_for(made_, kPatience, settled, [&](State& state, bool) {
    auto next = state.extract(uid);
    return next.empty() ? std::nullopt : std::move(next.mapped().launch);
  });
}

void PrelaunchPool::forget(const std::string& uid) {
  const auto ended = state_.with([&](State& state) { return state.extract(uid); });
}

void PrelaunchPool::discard() {
  State old;  // ends without the lock
  state_.with([&](State& state) { old.swap(state); });
}

Millis PrelaunchPool::maintain(const Order& order) {
  const MonoTime now = clock_.mono();
  Millis wait = deferred_teardown_.rest();
  if (wait <= Millis(0) && !deferred_teardown_.has_room()) wait = kCrowded;
  Millis next = kLater;
  std::vector<State::node_type> over;
  std::string wanted;
  state_.with([&](State& state) {
    for (auto each = state.begin(); each != state.end();) {
      const auto& [uid, ahead] = *each;
      if (ahead.until <= now || (ahead.launch && ahead.launch->ended())) {
        over.push_back(state.extract(each++));
        continue;
      }
      next = std::min(next, ahead.until - now);
      if (!ahead.launch && !ahead.being_made) wanted = uid;
      ++each;
    }
    if (!wanted.empty() && wait <= Millis(0)) state[wanted].being_made = true;
  });
  if (wanted.empty()) return next;
  if (wait > Millis(0)) return std::min(next, wait);
  keep(wanted, order(wanted));
  return Millis(0);
}

void PrelaunchPool::keep(const std::string& uid, Result<launch::AttachedLaunch> made) {
  state_.with([&](State& state) {
    const auto found = state.find(uid);
    if (found == state.end() || !found->second.being_made) return;  // forgotten meanwhile
    found->second.being_made = false;
    if (made.ok()) {
      found->second.launch = std::move(*made);
    } else {
      state.erase(found);  // the next command will be told why
    }
  });
  made_.notify_all();
}

}  // namespace paddock::sessions
