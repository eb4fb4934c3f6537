#include "controller/projects/preview_scopes.h"

namespace paddock::projects {

std::string PreviewScopes::open(PreviewTarget target, MonoTime now, Random& random) {
  const std::string scope = make_suffix(random, 40);
  const MonoTime until = now + kLife;
  state_.with([&](State& state) {
    while (!state.by_end.empty() &&
           (state.by_end.begin()->first <= now || state.by_scope.size() >= kMost)) {
      state.by_scope.erase(state.by_end.begin()->second);
      state.by_end.erase(state.by_end.begin());
    }
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
