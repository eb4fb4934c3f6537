#include "cli/options/sandbox_options.h"

#include <algorithm>

#include "cli/options/names.h"
#include "cli/options/option_values.h"
#include "cli/options/policy_options.h"
#include "common/contracts/homes.h"
#include "common/contracts/mount_places.h"
#include "common/contracts/profile.h"
#include "common/contracts/run.h"

namespace paddock::cli {
namespace {

using contracts::SandboxPolicy;

constexpr int64_t kMostInlineBytes = int64_t{64} << 20;

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
  ASSIGN_OR_RETURN(const SandboxPolicy requested, policy_options(parsed, cwd, text));
  const SandboxPolicy effective = contracts::effective_policy(profile, requested);
  TRY(contracts::check_mount_places(effective));
  // Through the codec, so that options are held to the same rules as a document.
  return wire::decode<SandboxPolicy>(wire::encode(effective));
}

}  // namespace

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
  ASSIGN_OR_RETURN(const std::optional<Millis> grace, wait_option(parsed, "grace"));
  if (grace) request.cancel_grace_ms = request.limit_grace_ms = grace->count();
  if (grace && *grace > contracts::kLongestGrace)
    return invalid_argument("INVALID_OPTION", "at most 24h", "--grace");
  request.trace_id = make_uuid(env.random);
  request.command = parsed.list("CMD");
  request.workdir = absolute_path(profile.workdir, parsed.text("workdir"));
  const std::string venv = parsed.text("venv");
  ASSIGN_OR_RETURN(request.env, contracts::command_environment(profile.environment, request.policy,
                                                               !venv.empty()));
  request.scratch_folders = contracts::own_folders(request.env);
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
