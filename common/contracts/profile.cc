#include "common/contracts/profile.h"

#include <algorithm>
#include <array>

#include "common/contracts/inner_paths.h"
#include "common/contracts/launch.h"
#include "common/wire/settings.h"
#include "common/wire/yaml.h"
#include "common/wire/yaml_lines.h"

namespace paddock::contracts {

const std::map<std::string, std::string>& builtin_profile_files();  // generated: cmake/Embed.cmake

namespace {

// A limit that a profile may leave unset: not every design names them.
constexpr std::array<std::string_view, 2> kOptionalLimits = {"cpuTime", "addressSpace"};

Result<Profile> decode_profile(std::string_view text) {
  ASSIGN_OR_RETURN(const wire::Value value, wire::parse_yaml(text));
  ASSIGN_OR_RETURN(Profile profile, wire::decode<Profile>(value));
  TRY(wire::check_no_nulls(value, {"policy.limits"}));
  return profile;
}

Result<Profile> parse_profile(const std::string& name, std::string_view text) {
  Error refusal{Code::kInvalidArgument, "PROFILE_INVALID", {}};
  const Result<Profile> profile = decode_profile(text);
  if (profile.ok()) return profile;
  const Error fault = wire::without_content(profile.error());
  const std::string file = cat(name, ".yaml");
  const wire::YamlLines lines{std::string(text)};
  refusal.message = cat("the profile ", file, " is not valid");
  for (size_t i = 0; i < fault.causes.size(); ++i) {
    const auto line = lines.of(profile.error().causes[i].field);
    refusal.causes.push_back({cat(file, line ? cat(":", *line) : "", ": ", fault.causes[i].field),
                              fault.causes[i].message});
  }
  if (fault.causes.empty()) refusal.causes.push_back({file, fault.message});
  return refusal;
}

bool is_profile_name(std::string_view name) {
  return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Error taken_variable(const std::string& name) {
  Error error{Code::kInvalidArgument, "ENV_NOT_ALLOWED",
              cat("the variable ", name, " is set by the profile and cannot be replaced")};
  error.causes.push_back({cat("env.", name), error.message});
  return error;
}

}  // namespace

void Profile::validate(wire::Check& check) const {
  if (!is_clean_absolute(workdir))
    check.fail("workdir", "must be an absolute path without . or ..");
  if (!environment.contains("PATH"))
    check.fail("environment.PATH", "required field is missing", CauseKind::kRequired);
  for (const auto& [name, value] : environment) {
    if (const std::string fault = variable_fault(name, value); !fault.empty())
      check.fail(cat("environment.", name), fault);
  }
  SandboxLimits::describe([&](const auto&... f) {
    ((policy.limits.*(f.member) || std::ranges::count(kOptionalLimits, f.name) > 0
          ? void()
          : check.fail(cat("policy.limits.", f.name), "a profile must set this limit")),
     ...);
  });
}

Result<Profiles> profiles_with(const std::map<std::string, std::string>& files) {
  Profiles out = builtin_profiles();
  for (const auto& [name, text] : files) {
    if (!is_profile_name(name)) {
      return invalid_argument("PROFILE_INVALID", "a profile's name is made of a-z, 0-9 and -",
                              cat(to_utf8_lossy(name), ".yaml"));
    }
    ASSIGN_OR_RETURN(out[name], parse_profile(name, text));
  }
  return out;
}

const Profiles& builtin_profiles() {
  static const Profiles kProfiles = [] {
    Profiles out;
    for (const auto& [name, text] : builtin_profile_files()) {
      auto profile = parse_profile(name, text);
      if (!profile.ok()) panic(profile.error().describe());
      out[name] = std::move(profile).value();
    }
    return out;
  }();
  return kProfiles;
}

std::optional<SandboxPolicy> profile_policy(std::string_view profile) {
  const auto found = builtin_profiles().find(std::string(profile));
  if (found == builtin_profiles().end()) return std::nullopt;
  return found->second.policy;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto& [name, profile] : builtin_profiles()) names.push_back(name);
  return names;
}

std::string names_of(const Profiles& profiles) {
  std::vector<std::string> names;
  for (const auto& [name, profile] : profiles) names.push_back(name);
  return join(names, ", ");
}

const std::map<std::string, std::string>& build_environment() {
  static const std::map<std::string, std::string> kEnvironment = {
      {"LSAN_OPTIONS", "detect_leaks=0"},
      {"PYTHONUNBUFFERED", "1"},
      {"npm_config_update_notifier", "false"}};
  return kEnvironment;
}

Result<std::map<std::string, std::string>> command_environment(
    const std::map<std::string, std::string>& profile_environment, const SandboxPolicy& policy,
    bool has_venv, bool replaces) {
  std::map<std::string, std::string> env = profile_environment;
  if (has_venv) {
    env["PATH"] = cat(kSandboxVenv, "/bin:", env["PATH"]);
    env["VIRTUAL_ENV"] = std::string(kSandboxVenv);
  }
  for (const auto& [name, value] : policy.env) {
    const auto set = env.find(name);
    const bool free = name == "PYTHONPATH" || build_environment().contains(name);
    const bool taken = set != env.end() && set->second != value && !free;
    if (taken && !replaces) return taken_variable(name);
    if (name == "VIRTUAL_ENV" && !has_venv) return taken_variable(name);
    env[name] = value;
  }
  return env;
}

std::map<std::string, std::string> minimal_environment(bool has_venv) {
  return *command_environment(builtin_profiles().at("compute").environment, {}, has_venv);
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Profile);
