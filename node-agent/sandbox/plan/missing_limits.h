// Limits of a policy that a system, or this host, cannot keep: refused, unless the policy allows to
// run without. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/sandbox_policy.h"
#include "node-agent/sandbox/result/enforcement.h"

namespace paddock::sandbox {

// Limits that no host of this system has. Each that was asked for is said in `enforced` not to be
// kept; the names of those that are missed come back.
class AbsentLimits {
 public:
  AbsentLimits(Reason reason, const char* why, Enforced& enforced)
      : reason_(reason), why_(why), enforced_(enforced) {}

  template <class T>
  void add(const char* name, const std::optional<T>& limit) {
    if (!limit) return;
    enforced_[name] = by_nothing(requested(limit), reason_, why_);
    missed_.emplace_back(name);
  }
  // If memory is limited too, this limit is only a second line of defence, so its absence is no
  // fault.
  void add_address_space(const contracts::SandboxLimits& limits, const char* why);
  // This one is an allotment and protects nothing: a run goes on without, and its result says so.
  void add_cpus(const std::optional<int64_t>& cpus);
  const std::vector<std::string>& missed() const { return missed_; }

 private:
  Reason reason_;
  const char* why_;
  Enforced& enforced_;
  std::vector<std::string> missed_;
};

// If limits are missed, refuses with `reason` and the message "`cannot` NAME, NAME"; or, where the
// policy allows that, sets `partial`.
Status accept_missing(const std::vector<std::string>& missed, Reason reason, const char* cannot,
                      bool allow_partial, bool& partial);

}  // namespace paddock::sandbox
