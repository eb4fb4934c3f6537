// Profiles: the named starting points of a policy, each with its design's own numbers: compute,
// test, snippet, session. They are the files of packaging/profiles, compiled in; an operator's
// folder of such files replaces them one by one or adds others. Pure; reading a folder is the
// caller's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/sandbox_policy.h"

namespace paddock::contracts {

struct Profile {
  std::string description;
  std::string workdir;                             // absolute, inside
  std::map<std::string, std::string> environment;  // exactly these, without what the policy adds
  SandboxPolicy policy;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("description", &Profile::description, "what it is for, and whose numbers it carries",
              {.required = true, .min_length = 1, .max_length = 256}),
        field("workdir", &Profile::workdir, "where commands start, inside", {.required = true}),
        field("environment", &Profile::environment, "the whole environment of a command",
              {.required = true, .max_length = 64}),
        field("policy", &Profile::policy, "the SandboxPolicy", {.required = true}));
  }
  // Clean paths and variable names; every limit is set, but for cpuTime and addressSpace.
  void validate(wire::Check& check) const;
};

using Profiles = std::map<std::string, Profile>;

const Profiles& builtin_profiles();
// The environment of the profile `compute`: PATH, HOME, TMPDIR, PYTHONPATH, LANG, and
// VIRTUAL_ENV (with its bin in PATH) only when `has_venv`. See command_environment().
std::map<std::string, std::string> minimal_environment(bool has_venv);
// `files`: texts by profile name. Each replaces the built-in profile of its name or adds one.
// InvalidArgument, PROFILE_INVALID, with `<name>.yaml: <field>` for each fault.
Result<Profiles> profiles_with(const std::map<std::string, std::string>& files);

// The policy of a built-in profile; none if there is no such profile.
std::optional<SandboxPolicy> profile_policy(std::string_view profile);
std::vector<std::string> profile_names();
// `agent, code, command, compute, session, snippet, test`, for messages.
std::string names_of(const Profiles& profiles);

// The environment of a command: the profile's, the Python environment's, the policy's. A policy
// adds variables and replaces none but PYTHONPATH and those that only suit most programs
// (build_environment()): InvalidArgument, ENV_NOT_ALLOWED, with the field. With `replaces` (see
// replaces_variables) it replaces whichever it names.
Result<std::map<std::string, std::string>> command_environment(
    const std::map<std::string, std::string>& profile_environment, const SandboxPolicy& policy,
    bool has_venv, bool replaces = false);
// What builds have on top of the profile that they share with type `compute`, whose environment is
// exact: output that is seen as it is written, and no leak sanitizer, which would trace its
// process.
const std::map<std::string, std::string>& build_environment();

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Profile);
