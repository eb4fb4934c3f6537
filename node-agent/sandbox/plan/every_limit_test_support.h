// For tests of plans: every limit that a policy can have, so that no system ignores one of them.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/sandbox/result/enforcement.h"

namespace paddock::sandbox {

inline void set_some(std::optional<wire::Duration>& limit) {
  limit = wire::Duration{Millis(10'000)};
}
inline void set_some(std::optional<wire::Quantity>& limit) {
  limit = wire::Quantity{int64_t{1} << 30};
}
inline void set_some(std::optional<int64_t>& limit) { limit = 64; }

inline contracts::SandboxLimits every_limit() {
  contracts::SandboxLimits out;
  contracts::SandboxLimits::describe(
      [&](const auto&... field) { (set_some(out.*(field.member)), ...); });
  return out;
}

// The limits of which a plan says nothing. Both streams are one capability, and the length of a
// command is a matter of its admission.
inline std::vector<std::string> ignored_limits(const Enforced& enforced) {
  constexpr std::array<std::string_view, 3> kElsewhere = {"stdout", "stderr", "commandBytes"};
  std::vector<std::string> out;
  const auto look = [&](std::string_view name) {
    const bool elsewhere = std::ranges::find(kElsewhere, name) != kElsewhere.end();
    if (!elsewhere && !enforced.contains(std::string(name))) out.emplace_back(name);
  };
  contracts::SandboxLimits::describe([&](const auto&... field) { (look(field.name), ...); });
  return out;
}

}  // namespace paddock::sandbox
