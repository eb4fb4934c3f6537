// Why a policy says what it says: POST namespaces/{ns}/policy/explain with a PolicyQuestion.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/sandbox_policy.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

struct PolicyQuestion {
  std::string run;
  std::string profile;
  std::optional<SandboxPolicy> sandbox;
  std::string against;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("run", &PolicyQuestion::run, "explain this run's policy; and nothing else is given",
              {.omit_empty = true}),
        field("profile", &PolicyQuestion::profile, "or a policy on top of this profile; command",
              {.omit_empty = true}),
        field("sandbox", &PolicyQuestion::sandbox, "that policy, as in a run; none: the profile's"),
        field("against", &PolicyQuestion::against,
              "judge by it what this run was denied; it has ended", {.omit_empty = true}));
  }
};

// Where a value comes from.
enum class PolicyOrigin { kRun, kTimeout, kProfile, kDefault, kDerived, kFormerProfile };

struct PolicyRule {
  std::string rule;
  std::string value;
  PolicyOrigin origin = PolicyOrigin::kDefault;
  std::string source;
  std::string bound;
  std::string refusal;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("field", &PolicyRule::rule, "of the policy: limits.memory"),
        field("value", &PolicyRule::value, "what it allows; of variables that they are set"),
        field("origin", &PolicyRule::origin, "where that comes from"),
        field("source", &PolicyRule::source, "the field or profile that says it",
              {.omit_empty = true}),
        field("bound", &PolicyRule::bound, "what a run may ask for at most, and who says so",
              {.omit_empty = true}),
        field("refusal", &PolicyRule::refusal, "why a run that asked for it now would be refused",
              {.omit_empty = true}));
  }
};

enum class DenialOutcome { kDenied, kAllowed, kUnknown };

struct JudgedDenial {
  Denial denial;
  DenialOutcome outcome = DenialOutcome::kUnknown;
  std::string why;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("denial", &JudgedDenial::denial, "as the run's result has it"),
        field("outcome", &JudgedDenial::outcome, "what becomes of it under the policy explained"),
        field("why", &JudgedDenial::why, "what decides that"));
  }
};

struct PolicyExplanation {
  std::string profile;
  std::vector<PolicyRule> rules;
  std::vector<JudgedDenial> denials;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("profile", &PolicyExplanation::profile, "that the policy stands on"),
        field("rules", &PolicyExplanation::rules, "each value that is in force, and its origin"),
        field("denials", &PolicyExplanation::denials, "of `against`", {.omit_empty = true}));
  }
};

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::PolicyOrigin> {
  using Origin = paddock::contracts::PolicyOrigin;
  static constexpr std::array values = {
      std::pair{Origin::kRun, std::string_view("run")},
      std::pair{Origin::kTimeout, std::string_view("timeout")},
      std::pair{Origin::kProfile, std::string_view("profile")},
      std::pair{Origin::kDefault, std::string_view("default")},
      std::pair{Origin::kDerived, std::string_view("derived")},
      std::pair{Origin::kFormerProfile, std::string_view("former-profile")}};
};

template <>
struct paddock::wire::EnumNames<paddock::contracts::DenialOutcome> {
  using Outcome = paddock::contracts::DenialOutcome;
  static constexpr std::array values = {std::pair{Outcome::kDenied, std::string_view("denied")},
                                        std::pair{Outcome::kAllowed, std::string_view("allowed")},
                                        std::pair{Outcome::kUnknown, std::string_view("unknown")}};
};
