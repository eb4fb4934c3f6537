#include "controller/admission/secret_rules.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/text.h"
#include "common/contracts/profile.h"

namespace paddock::admission {
namespace {

using contracts::RunSpec;
using contracts::SecretUse;

std::string field_of(size_t index, std::string_view part) {
  return cat("spec.secrets[", index, "].", part);
}

std::string file_of(const SecretUse& use) {
  return cat(contracts::kSandboxSecrets, "/", use.name, "/", use.key.empty() ? "KEY" : use.key);
}

// A secret's variable has to keep the rules for any variable that a caller adds.
std::string variable_refusal(const RunSpec& spec, const std::string& variable,
                             const std::map<std::string, std::string>& environment) {
  constexpr std::array kPytests = {"PYTEST_ADDOPTS", "PYTEST_PLUGINS"};
  if (spec.type == contracts::RunType::kTest && std::ranges::count(kPytests, variable) > 0)
    return cat(variable, " adds options to pytest; take another name");
  contracts::SandboxPolicy policy;
  policy.env[variable] = "";
  const auto allowed = contracts::command_environment(environment, policy, true,
                                                      contracts::replaces_variables(spec.type));
  return allowed.ok() ? "" : allowed.error().causes.front().message;
}

// Whether another one gives a file at the same place.
bool has_same_file(const SecretUse& a, const SecretUse& b) {
  return a.variable.empty() && b.variable.empty() && a.name == b.name &&
         (a.key.empty() || b.key.empty() || a.key == b.key);
}

}  // namespace

std::vector<FieldRefusal> check_secret_uses(const RunSpec& spec, bool fixed_environment,
                                            const std::map<std::string, std::string>& environment) {
  std::vector<FieldRefusal> out;
  std::set<std::string_view> variables;
  for (size_t i = 0; i < spec.secrets.size(); ++i) {
    const SecretUse& use = spec.secrets[i];
    const auto earlier = spec.secrets.begin() + static_cast<ptrdiff_t>(i);
    if (std::any_of(spec.secrets.begin(), earlier,
                    [&](const SecretUse& other) { return has_same_file(use, other); }))
      out.push_back({"SECRET_TWICE", field_of(i, "name"),
                     cat("the file ", file_of(use), " is there already; name each value once")});
    if (use.variable.empty()) continue;
    if (fixed_environment) {
      out.push_back({"ENV_NOT_ALLOWED", field_of(i, "variable"),
                     cat("a compute run has exactly the documented environment; leave the variable "
                         "out and read the file ",
                         file_of(use), ", or use type command (`paddock run`)")});
      continue;
    }
    if (!variables.insert(use.variable).second || spec.sandbox.env.contains(use.variable))
      out.push_back({"SECRET_TWICE", field_of(i, "variable"),
                     cat("the variable ", use.variable, " is set already; take another name")});
    if (std::string fault = variable_refusal(spec, use.variable, environment); !fault.empty())
      out.push_back({"ENV_NOT_ALLOWED", field_of(i, "variable"), std::move(fault)});
  }
  return out;
}

}  // namespace paddock::admission
