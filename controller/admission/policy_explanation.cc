#include "controller/admission/policy_explanation.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::admission {
namespace {

using contracts::PolicyOrigin;
using contracts::PolicyRule;
using contracts::RunSpec;
using contracts::SandboxPolicy;
using wire::Value;

// A policy and those that it was made of, as documents: so a new field is explained like the
// others.
struct Documents {
  Value effective;
  Value requested;
  Value profile;   // null: there is none of this name any more
  Value made_now;  // of the two
  std::string profile_name;
  std::optional<wire::Duration> timeout;
};

Documents documents_of(const RunSpec& spec, const SandboxPolicy& effective,
                       const contracts::Profiles& profiles) {
  Documents out{
      wire::encode(effective), wire::encode(spec.sandbox), {}, {}, profile_of(spec), spec.timeout};
  const auto profile = profiles.find(out.profile_name);
  if (profile == profiles.end()) return out;
  out.profile = wire::encode(profile->second.policy);
  out.made_now = wire::encode(policy_for(spec, profile->second.policy));
  return out;
}

bool same(const Value* a, const Value& b) { return a != nullptr && *a == b; }

std::string text_of(const Value& value) {
  if (const std::string folder = value.text("hostPath"); !folder.empty())
    return cat(folder, " as ", value.text("sandboxPath"), ", ", value.text("mode"));
  return value.string() != nullptr ? *value.string() : wire::to_json(value);
}

void name_profile(const Documents& in, bool still, PolicyRule& rule) {
  rule.origin = still ? PolicyOrigin::kProfile : PolicyOrigin::kFormerProfile;
  rule.source = in.profile_name;
}

// Finds who set the value at one path.
void find_origin(const Documents& in, const Value& value, PolicyRule& rule) {
  // A switch that is off: whether somebody wrote that down is not kept. Of `loopback` it is.
  const bool off = value.boolean() != nullptr && !*value.boolean();
  if (off && rule.rule != "network.loopback") return;
  if (same(in.requested.at(rule.rule), value)) {
    rule.origin = PolicyOrigin::kRun;
    rule.source = cat("spec.sandbox.", rule.rule);
  } else if (same(in.profile.at(rule.rule), value)) {
    name_profile(in, true, rule);
  } else if (rule.rule == "limits.wallTime" && in.timeout && value == wire::encode(*in.timeout)) {
    rule.origin = PolicyOrigin::kTimeout;
    rule.source = "spec.timeout";
  } else if (same(in.made_now.at(rule.rule), value)) {
    rule.origin = PolicyOrigin::kDerived;
  } else {
    name_profile(in, false, rule);
  }
}

// The position of this entry in a list of the document.
std::optional<size_t> place_in(const Value& document, const std::string& list, const Value& entry) {
  const Value* found = document.at(list);
  if (found == nullptr || found->array() == nullptr) return std::nullopt;
  const auto at = std::ranges::find(*found->array(), entry);
  if (at == found->array()->end()) return std::nullopt;
  return static_cast<size_t>(at - found->array()->begin());
}

PolicyRule entry_rule(const Documents& in, const std::string& list, size_t i, const Value& entry) {
  PolicyRule rule{cat(list, "[", i, "]"), text_of(entry)};
  if (const auto place = place_in(in.requested, list, entry)) {
    rule.origin = PolicyOrigin::kRun;
    rule.source = cat("spec.sandbox.", list, "[", *place, "]");
  } else {
    name_profile(in, place_in(in.profile, list, entry).has_value(), rule);
  }
  return rule;
}

void add_list(const Documents& in, const std::string& list, std::string_view none,
              std::vector<PolicyRule>& out) {
  const Value* found = in.effective.at(list);
  if (found == nullptr || found->array() == nullptr || found->array()->empty()) {
    out.push_back({list, std::string(none)});
    return;
  }
  for (size_t i = 0; i < found->array()->size(); ++i)
    out.push_back(entry_rule(in, list, i, (*found->array())[i]));
}

void add_value(const Documents& in, std::string path, std::string_view none,
               std::vector<PolicyRule>& out) {
  PolicyRule rule{std::move(path)};
  const Value* value = in.effective.at(rule.rule);
  if (value == nullptr || value->is_null()) {
    rule.value = none;
  } else {
    rule.value = text_of(*value);
    find_origin(in, *value, rule);
  }
  out.push_back(std::move(rule));
}

// Names the variables and leaves out their values, which may be secret.
void add_variables(const Documents& in, std::vector<PolicyRule>& out) {
  const Value* env = in.effective.find("env");
  if (env == nullptr || env->object() == nullptr) return;
  for (const auto& [name, value] : *env->object()) {
    PolicyRule rule{cat("env.", name), "set"};
    find_origin(in, value, rule);
    out.push_back(std::move(rule));
  }
}

std::vector<std::string> limit_names() {
  std::vector<std::string> names;
  const Value schema = wire::schema<contracts::SandboxLimits>();
  const Value* properties = schema.find("properties");
  if (properties == nullptr || properties->object() == nullptr) return names;
  for (const auto& property : *properties->object()) names.push_back(property.first);
  return names;
}

std::string limit_bound(const std::string& path, const Value& ceilings, const Value& largest) {
  const Value* named = ceilings.at(path);
  if (named != nullptr && !named->is_null())
    return cat("at most ", text_of(*named), ", by the operator's ceilings.", path);
  const Value* host = largest.find(std::string_view(path).substr(sizeof "limits." - 1));
  if (host == nullptr || host->is_null()) return {};
  return cat("at most ", text_of(*host), ", as the largest node has");
}

std::string list_bound(const Value& allowed, std::string_view path) {
  const Value* found = allowed.at(path);
  return found != nullptr && found->array() != nullptr && !found->array()->empty()
             ? cat("those of the operator's ceilings.", path)
             : cat("none, by the operator's ceilings.", path);
}

void add_bounds(const AdmissionContext& context, std::vector<PolicyRule>& rules) {
  const Value ceilings = wire::encode(context.ceilings);
  const Value largest = wire::encode(context.largest);
  for (PolicyRule& rule : rules) {
    if (rule.rule.starts_with("limits."))
      rule.bound = limit_bound(rule.rule, ceilings, largest);
    else if (rule.rule == "network.enabled" && !context.ceilings.network)
      rule.bound = "none, by the operator's ceilings.network";
    else if (rule.rule == "hostMounts" || rule.rule == "devices")
      rule.bound = list_bound(ceilings, rule.rule);
  }
}

// Marks the rules that the checks of a new run would refuse. A refusal names the rule's field, or
// one within it.
void add_refusals(const SandboxPolicy& effective, const AdmissionContext& context,
                  std::vector<PolicyRule>& rules) {
  for (const contracts::CeilingRefusal& refusal :
       ceiling_refusals(effective, context.ceilings, context.largest)) {
    const auto about = std::ranges::find_if(rules, [&](const PolicyRule& rule) {
      return rule.rule == refusal.field || refusal.field.starts_with(cat(rule.rule, "."));
    });
    if (about != rules.end()) about->refusal = refusal.message;
  }
}

}  // namespace

std::vector<PolicyRule> explain_policy(const RunSpec& spec, const SandboxPolicy& effective,
                                       const AdmissionContext& context) {
  const Documents in = documents_of(spec, effective, context.profiles);
  std::vector<PolicyRule> rules;
  for (const std::string& name : limit_names()) add_value(in, cat("limits.", name), "none", rules);
  add_value(in, "network.enabled", "false", rules);
  add_value(in, "network.loopback", "false", rules);
  add_list(in, "network.allowDomains", "none", rules);
  add_list(in, "tools", "all of the system's", rules);
  add_list(in, "hostMounts", "none", rules);
  add_list(in, "devices", "none", rules);
  add_variables(in, rules);
  add_value(in, "allowPartial", "false", rules);
  add_bounds(context, rules);
  add_refusals(effective, context, rules);
  return rules;
}

}  // namespace paddock::admission
