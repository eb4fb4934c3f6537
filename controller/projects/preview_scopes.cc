#include "controller/projects/preview_scopes.h"

#include <algorithm>

namespace paddock::projects {

void PreviewScopes::forget(State& state, std::multimap<MonoTime, std::string>::iterator which) {
  const auto entry = state.by_scope.find(which->second);
  const auto count = state.counts.find(entry->second.target.name_space);
  if (--count->second == 0) state.counts.erase(count);
  state.by_scope.erase(entry);
  state.by_end.erase(which);
}

// The oldest of the namespace that has most, so that none ends another's by asking for many.
void PreviewScopes::forget_one(State& state) {
  const auto most =
      std::ranges::max_element(state.counts, {}, [](const auto& each) { return each.second; });
  forget(state, std::ranges::find_if(state.by_end, [&](const auto& each) {
           return state.by_scope.at(each.second).target.name_space == most->first;
         }));
}

std::string PreviewScopes::open(PreviewTarget target, MonoTime now, Random& random) {
  const std::string scope = make_suffix(random, 40);
  const MonoTime until = now + kLife;
  state_.with([&](State& state) {
    while (!state.by_end.empty() && state.by_end.begin()->first <= now)
      forget(state, state.by_end.begin());
    if (state.by_scope.size() >= kMost) forget_one(state);
    ++state.counts[target.name_space];
    state.by_scope.emplace(scope, Entry{std::move(target), until});
    state.by_end.emplace(until, scope);
  });
  return scope;
}

std::optional<PreviewTarget> PreviewScopes::find(const std::string& scope, MonoTime now) const {
  return state_.with([&](const State& state) -> std::optional<PreviewTarget> {
    const auto found = state.by_scope.find(scope);
    if (found == state.by_scope.end() || found->second.until <= now) return std::nullopt;
    return found->second.target;
  });
}

}  // namespace paddock::projects
