#include "cli/output/policy_text.h"

#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using contracts::JudgedDenial;
using contracts::PolicyExplanation;
using contracts::PolicyOrigin;
using contracts::PolicyRule;

constexpr std::string_view kSandbox = "spec.sandbox.";

std::string of_run(const PolicyRule& rule, const PlaceOf& place_of) {
  const std::string_view source = rule.source;
  if (source.starts_with(kSandbox)) {
    if (const auto place = place_of(source.substr(kSandbox.size()))) return *place;
  }
  return cat("the run's ", rule.source);
}

std::string origin_text(const PolicyRule& rule, const PlaceOf& place_of) {
  switch (rule.origin) {
    case PolicyOrigin::kRun:
    case PolicyOrigin::kTimeout:
      return of_run(rule, place_of);
    case PolicyOrigin::kProfile:
      return cat("the profile ", rule.source);
    case PolicyOrigin::kFormerProfile:
      return cat("the profile ", rule.source, " as it was then");
    case PolicyOrigin::kDerived:
      return "other fields of the policy";
    case PolicyOrigin::kDefault:
      return "nothing names it";
  }
  return {};
}

std::string denials_text(const std::vector<JudgedDenial>& denials) {
  Table table{{"NOW", "WHAT", "TARGET", "TIMES", "BY"}, {}};
  for (const JudgedDenial& each : denials) {
    table.rows.push_back({std::string(wire::enum_name(each.outcome)), each.denial.what,
                          each.denial.target, cat(each.denial.count), each.why});
  }
  return cat("\n", render(table));
}

}  // namespace

std::string policy_text(const PolicyExplanation& explanation, const PlaceOf& place_of) {
  Table table{{"FIELD", "VALUE", "FROM", "A RUN MAY ASK FOR"}, {}};
  std::string refusals;
  for (const PolicyRule& rule : explanation.rules) {
    table.rows.push_back({rule.rule, rule.value, origin_text(rule, place_of), rule.bound});
    if (!rule.refusal.empty())
      refusals += cat("refused: ", rule.rule, ": ", printable(rule.refusal), "\n");
  }
  std::string text = cat(render(table), refusals);
  if (!explanation.denials.empty()) text += denials_text(explanation.denials);
  return text;
}

}  // namespace paddock::cli
