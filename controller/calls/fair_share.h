// Decides which of the waiting callers is served next, and how much one tenant may have. Pure.
// A caller is named NAMESPACE/SUBJECT. Callers whose tokens are good for one namespace are one
// tenant together, so that a namespace with many tokens has no more than one with a single token. A
// caller whose token is good for every namespace is a tenant of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::calls {

// How many calls of each caller nodes are working on.
using CallCounts = std::map<std::string, size_t, std::less<>>;

// The `NAMESPACE/` of a caller whose token is good for that namespace alone; else the caller.
std::string_view tenant_of(std::string_view caller);
bool is_namespace(std::string_view tenant);
// The sum over all callers of a tenant.
size_t held_by(const CallCounts& held, std::string_view tenant);

// Remembers when each tenant and each caller was served last, as a number of turns. A name that is
// not known comes before all others.
class Turns {
 public:
  explicit Turns(size_t most_names = 4'096) : most_names_(most_names) {}
  // Notes that a call of this caller, and so of its tenant, was served.
  void note(std::string_view caller);
  uint64_t last(std::string_view name) const;

 private:
  void note_one(std::string_view name);

  size_t most_names_;  // the one that was served longest ago is forgotten
  uint64_t turn_ = 0;
  std::map<std::string, uint64_t, std::less<>> last_;
};

// How much of `total` one tenant may have at once: three quarters, rounded up.
size_t share_of(size_t total);
// How much of its namespace's share one caller may have: never all, if the share is more than one.
size_t share_within(size_t share);

// `waiting`: the callers of what waits, the oldest first. The place in it of the one to serve: of
// the tenants that hold less than `most`, which holds fewest, and among equals which was served
// longest ago; of its callers the same; then the oldest. Nothing: each tenant holds its most, or
// nobody waits.
std::optional<size_t> next_in_turn(const std::vector<std::string_view>& waiting,
                                   const CallCounts& held, const Turns& turns, size_t most);

}  // namespace paddock::calls
