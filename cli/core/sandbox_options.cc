#include "cli/core/sandbox_options.h"

#include <algorithm>

#include "cli/core/names.h"
#include "cli/core/option_values.h"
#include "common/contracts/mount_places.h"
#include "common/contracts/profile.h"
#include "common/wire/yaml.h"

namespace paddock::cli {
namespace {

using contracts::SandboxPolicy;

constexpr int64_t kMostInlineBytes = int64_t{64} << 20;
constexpr int64_t kMost = int64_t{1} << 53;

Result<SandboxPolicy> requested_policy(const std::optional<std::string>& text) {
  if (!text) return SandboxPolicy{};
  ASSIGN_OR_RETURN(const wire::Value value, wire::parse_yaml(*text));
  return wire::decode<SandboxPolicy>(value);
}

Status apply_times(const Parsed& parsed, contracts::SandboxLimits& limits) {
  ASSIGN_OR_RETURN(const std::optional<Millis> wall, duration_option(parsed, "wall-time"));
  ASSIGN_OR_RETURN(const std::optional<Millis> cpu, duration_option(parsed, "cpu-time"));
  if (wall) limits.wall_time = wire::Duration{*wall};
  if (cpu) limits.cpu_time = wire::Duration{*cpu};
  return {};
}

Status apply_sizes(const Parsed& parsed, contracts::SandboxLimits& limits) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> memory, quantity_option(parsed, "memory"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> scratch, quantity_option(parsed, "fs-bytes"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> output, quantity_option(parsed, "output-bytes"));
  if (memory) limits.memory = wire::Quantity{*memory};
  if (scratch) limits.fs_bytes = wire::Quantity{*scratch};
  if (output) limits.stdout_bytes = limits.stderr_bytes = wire::Quantity{*output};
  return {};
}

Status apply_counts(const Parsed& parsed, contracts::SandboxLimits& limits) {
  const auto set = [&](const char* name, std::optional<int64_t>& limit) -> Status {
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, integer_option(parsed, name, 1, kMost));
    if (value) limit = value;
    return {};
  };
  TRY(set("pids", limits.pids));
  TRY(set("open-files", limits.open_files));
  return set("file-count", limits.file_count);
}

// Options win over the policy's document.
Status apply_options(const Parsed& parsed, const std::string& cwd, SandboxPolicy& policy) {
  TRY(apply_times(parsed, policy.limits));
  TRY(apply_sizes(parsed, policy.limits));
  TRY(apply_counts(parsed, policy.limits));
  for (const std::string& text : parsed.list("mount")) {
    ASSIGN_OR_RETURN(contracts::HostMount mount, parse_mount(text, cwd));
    policy.host_mounts.push_back(std::move(mount));
  }
  for (const std::string& tool : parsed.list("tool")) policy.tools.push_back(tool);
  const std::vector<std::string> domains = parsed.list("allow-domain");
  if (domains.empty()) return {};
  if (!policy.network) policy.network.emplace();
  policy.network->enabled = true;
  policy.network->allow_domains.insert(policy.network->allow_domains.end(), domains.begin(),
                                       domains.end());
  return {};
}

Result<contracts::Profile> wanted_profile(const std::string& name) {
  const contracts::Profiles& known = contracts::builtin_profiles();
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  return invalid_argument(
      "UNKNOWN_PROFILE",
      cat("there is no profile `", name, "`; known: ", contracts::names_of(known)), "--profile");
}

Result<SandboxPolicy> wanted_policy(const Parsed& parsed, const std::string& cwd,
                                    const SandboxPolicy& profile,
                                    const std::optional<std::string>& text) {
  ASSIGN_OR_RETURN(SandboxPolicy requested, requested_policy(text));
  TRY(apply_options(parsed, cwd, requested));
  const SandboxPolicy effective = contracts::effective_policy(profile, requested);
  TRY(contracts::check_mount_places(effective));
  // Through the codec, so that options are held to the same rules as a document.
  return wire::decode<SandboxPolicy>(wire::encode(effective));
}

}  // namespace

Result<contracts::HostMount> parse_mount(std::string_view text, const std::string& cwd) {
  const std::vector<std::string> parts = split(text, ':');
  const auto mode = parts.size() == 3 ? wire::parse_enum<contracts::MountMode>(parts[2])
                                      : std::optional(contracts::MountMode::kReadOnly);
  const bool good = (parts.size() == 2 || parts.size() == 3) && !parts[0].empty() &&
                    parts[1].starts_with('/') && mode;
  if (!good)
    return invalid_argument("INVALID_OPTION",
                            cat("`", text, "`: expected SRC:DST or SRC:DST:ro|rw"), "--mount");
  return contracts::HostMount{absolute_path(cwd, parts[0]), parts[1], *mode};
}

Result<SandboxOptions> sandbox_options(const Parsed& parsed, const Env& env,
                                       const std::optional<std::string>& policy_text) {
  SandboxOptions options;
  const std::string output = parsed.text("output");
  if (!output.empty() && output != "json") {
    return invalid_argument("UNKNOWN_OUTPUT_FORMAT", cat("`", output, "`: only json is known here"),
                            "--output");
  }
  options.json = output == "json";
  options.verbose = parsed.has("verbose");
  contracts::LaunchRequest& request = options.request;
  ASSIGN_OR_RETURN(const contracts::Profile profile,
                   wanted_profile(parsed.text("profile", "test")));
  ASSIGN_OR_RETURN(request.policy, wanted_policy(parsed, env.cwd, profile.policy, policy_text));
  request.trace_id = make_uuid(env.random);
  request.command = parsed.list("CMD");
  request.workdir = absolute_path(profile.workdir, parsed.text("workdir"));
  const std::string venv = parsed.text("venv");
  ASSIGN_OR_RETURN(request.env, contracts::command_environment(profile.environment, request.policy,
                                                               !venv.empty()));
  request.mounts = {
      {env.cwd, std::string(contracts::kSandboxWorkspace), contracts::MountMode::kReadWrite}};
  if (!venv.empty()) {
    request.mounts.push_back({absolute_path(env.cwd, venv), std::string(contracts::kSandboxVenv),
                              contracts::MountMode::kReadOnly});
  }
  request.network =
      contracts::NetworkSettings{parsed.list("name-server"), parsed.list("allow-range")};
  const auto& kept = request.policy.limits.stdout_bytes;
  if (options.json && kept) request.inline_output_bytes = std::min(kept->bytes, kMostInlineBytes);
  return options;
}

}  // namespace paddock::cli
