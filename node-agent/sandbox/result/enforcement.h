// How a plan says what will be in force, one function per level of enforcement, and how it refuses.
// Pure; the plans of all systems use these. `applied` stays false until the plan was carried out.
// Whatever is weaker than what was asked for has a reason.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/error.h"
#include "common/contracts/sandbox_result.h"
#include "common/wire/describe.h"

namespace paddock::sandbox {

using Enforced = std::map<std::string, contracts::Enforcement>;

// `field`: of the policy, if the refusal is about one.
inline Error refuse(Reason reason, std::string message, std::string field = {}) {
  Error error{Code::kFailedPrecondition, reason, std::move(message)};
  if (!field.empty()) error.causes.push_back({std::move(field), error.message});
  return error;
}

template <class T>
wire::Value requested(const std::optional<T>& limit) {
  return limit ? wire::encode(*limit) : wire::Value();
}

inline contracts::Enforcement by_kernel(wire::Value wanted, std::string mechanism,
                                        std::string details = {}) {
  return {std::move(wanted),  false, std::move(mechanism), contracts::EnforcementLevel::kKernel,
          std::move(details), {}};
}

// Enforced by the launcher, or by a process of its own that the command cannot reach.
inline contracts::Enforcement by_broker(wire::Value wanted, std::string mechanism,
                                        std::string details = {}) {
  return {std::move(wanted),  false, std::move(mechanism), contracts::EnforcementLevel::kBroker,
          std::move(details), {}};
}

// Enforced by looking from time to time: the launcher misses what comes and goes between two looks.
inline contracts::Enforcement by_polling(wire::Value wanted, std::string mechanism,
                                         std::string details) {
  return {std::move(wanted),  false, std::move(mechanism), contracts::EnforcementLevel::kPolled,
          std::move(details), {}};
}

inline contracts::Enforcement by_nothing(wire::Value wanted, Reason reason, std::string why) {
  return {std::move(wanted), false, "", contracts::EnforcementLevel::kNone, std::move(why), reason};
}

// In force, but less of it than was asked for.
inline contracts::Enforcement weaker(contracts::Enforcement enforcement, Reason reason) {
  enforcement.reason = reason;
  return enforcement;
}

}  // namespace paddock::sandbox
