#include "controller/calls/fair_share.h"

#include <algorithm>
#include <tuple>

namespace paddock::calls {

std::string_view tenant_of(std::string_view caller) {
  const std::string_view space = caller.substr(0, caller.find('/') + 1);
  return is_namespace(space) ? space : caller;
}

bool is_namespace(std::string_view tenant) { return tenant.size() > 1 && tenant.back() == '/'; }

size_t held_by(const CallCounts& held, std::string_view tenant) {
  if (!is_namespace(tenant)) {
    const auto found = held.find(tenant);
    return found == held.end() ? 0 : found->second;
  }
  size_t out = 0;
  for (auto at = held.lower_bound(tenant); at != held.end() && at->first.starts_with(tenant); ++at)
    out += at->second;
  return out;
}

void Turns::note(std::string_view caller) {
  ++turn_;
  note_one(caller);
  if (const std::string_view tenant = tenant_of(caller); tenant != caller) note_one(tenant);
}

void Turns::note_one(std::string_view name) {
  if (const auto found = last_.find(name); found != last_.end()) {
    found->second = turn_;
    return;
  }
  if (last_.size() >= most_names_) {
    last_.erase(std::ranges::min_element(
        last_, [](const auto& one, const auto& other) { return one.second < other.second; }));
  }
  last_.emplace(name, turn_);
}

uint64_t Turns::last(std::string_view name) const {
  const auto found = last_.find(name);
  return found == last_.end() ? 0 : found->second;
}

size_t share_of(size_t total) { return total - total / 4; }

size_t share_within(size_t share) {
  return std::max(size_t{1}, std::min(share_of(share), share - 1));
}

std::optional<size_t> next_in_turn(const std::vector<std::string_view>& waiting,
                                   const CallCounts& held, const Turns& turns, size_t most) {
  std::optional<size_t> best;
  std::tuple<size_t, uint64_t, size_t, uint64_t> least;
  std::map<std::string_view, size_t> together;  // what each tenant holds, counted once
  for (size_t i = 0; i < waiting.size(); ++i) {
    const std::string_view tenant = tenant_of(waiting[i]);
    const auto [known, is_new] = together.try_emplace(tenant);
    if (is_new) known->second = held_by(held, tenant);
    const std::tuple has{known->second, turns.last(tenant), held_by(held, waiting[i]),
                         turns.last(waiting[i])};
    if (known->second >= most || (best && has >= least)) continue;
    least = has;
    best = i;
  }
  return best;
}

}  // namespace paddock::calls
