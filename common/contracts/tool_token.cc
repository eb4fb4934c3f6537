#include "common/contracts/tool_token.h"

#include <algorithm>

namespace paddock::contracts {
namespace {

bool is_operation(const std::string& name) {
  return std::ranges::any_of(kToolUses, [&](const ToolUse& use) { return use.operation == name; });
}

std::string known_operations() {
  std::vector<std::string> names;
  for (const ToolUse& use : kToolUses) {
    if (std::ranges::find(names, use.operation) == names.end()) names.emplace_back(use.operation);
  }
  return join(names, ", ");
}

// The same for a request and for the spec of an object.
template <class T>
void check_use(const T& wanted, wire::Check& check) {
  for (size_t i = 0; i < wanted.operations.size(); ++i) {
    if (is_operation(wanted.operations[i])) continue;
    check.fail(cat("operations[", i, "]"), cat("must be one of: ", known_operations()));
  }
  const std::vector<std::string> possible = endpoints_of(wanted.operations);
  for (size_t i = 0; i < wanted.endpoints.size(); ++i) {
    if (std::ranges::find(possible, wanted.endpoints[i]) != possible.end()) continue;
    check.fail(cat("endpoints[", i, "]"),
               cat("must be an endpoint of its operations: ", join(possible, ", ")));
  }
  if (wanted.ttl &&
      (wanted.ttl->value < std::chrono::seconds(1) || wanted.ttl->value > kLongestToolTokenLife))
    check.fail("ttl", "must be from 1s to 24h");
}

}  // namespace

void ToolTokenRequest::validate(wire::Check& check) const { check_use(*this, check); }
void ToolTokenSpec::validate(wire::Check& check) const { check_use(*this, check); }

std::vector<std::string> endpoints_of(const std::vector<std::string>& operations) {
  std::vector<std::string> endpoints;
  for (const ToolUse& use : kToolUses) {
    if (std::ranges::find(operations, use.operation) != operations.end())
      endpoints.emplace_back(use.endpoint);
  }
  return endpoints;
}

ToolTokenStatus status_at(const ToolTokenStatus& status, WallTime now) {
  ToolTokenStatus seen = status;
  if (seen.revoked_at) {
    seen.phase = ToolTokenPhase::kRevoked;
  } else if (!seen.expires_at || seen.expires_at->value <= now) {
    seen.phase = ToolTokenPhase::kExpired;
    seen.reason = RevokeReason::kTtlExpired;
  } else {
    seen.phase = ToolTokenPhase::kActive;
  }
  return seen;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ToolToken);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ToolTokenRequest);
