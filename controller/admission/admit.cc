#include "controller/admission/admit.h"

#include <algorithm>

#include "controller/admission/command_rules.h"

namespace paddock::admission {
namespace {

using contracts::RunSpec;
using contracts::SandboxLimits;
using contracts::SandboxPolicy;
using contracts::Tree;

// Collects refusals: the first one's reason names the error, each is a cause.
class Refusals {
 public:
  void add(std::string reason, std::string field, std::string message) {
    if (error_.reason.empty()) {
      error_.reason = std::move(reason);
      error_.message = message;
    }
    error_.causes.push_back({std::move(field), std::move(message)});
  }
  bool none() const { return error_.causes.empty(); }
  Error take() && {
    if (error_.causes.size() > 1)
      error_.message += cat(" (and ", error_.causes.size() - 1, " more)");
    return std::move(error_);
  }

 private:
  Error error_{Code::kInvalidArgument, {}, {}};
};

FileNames file_names(const Tree* tree) {
  FileNames names;
  if (tree == nullptr) return names;
  for (const contracts::TreeEntry& entry : tree->entries) names.insert(entry.path);
  return names;
}

void check_requirements(const RunSpec& spec, const FileNames& files, Refusals& out) {
  if (spec.requirements.empty()) return;
  if (!is_inner_path(spec.requirements) || spec.requirements.ends_with('/')) {
    out.add("REQUIREMENTS_INVALID", "spec.requirements",
            cat("\"", spec.requirements,
                "\" must be a relative path inside the workspace, without \"..\""));
  } else if (!files.contains(spec.requirements)) {
    out.add("REQUIREMENTS_INVALID", "spec.requirements",
            cat("\"", spec.requirements,
                "\" is not a file of the workspace; name one that was uploaded"));
  }
}

void check_artifact_dirs(const RunSpec& spec, Refusals& out) {
  for (size_t i = 0; i < spec.artifacts.dirs.size(); ++i) {
    if (is_inner_path(spec.artifacts.dirs[i])) continue;
    out.add("ARTIFACT_DIR_INVALID", cat("spec.artifacts.dirs[", i, "]"),
            cat("\"", spec.artifacts.dirs[i],
                "\" must be a folder inside the workspace: relative, without \".\" or \"..\""));
  }
}

void check_command_rules(const RunSpec& spec, const FileNames& files, Refusals& out) {
  for (Refusal& refusal : check_command(spec.command.argv, files)) {
    out.add(std::move(refusal.reason), cat("spec.command[", refusal.word, "]"),
            std::move(refusal.message));
  }
}

void check_unsupported(const RunSpec& spec, Refusals& out) {
  if (!spec.publish.empty()) {
    out.add("PUBLISH_NOT_SUPPORTED", "spec.publish",
            "publishing to a shared volume is not supported; leave the field out");
  }
  if (spec.media_execution && spec.media_execution->mode == contracts::MediaMode::kEnabled) {
    out.add("MEDIA_NOT_SUPPORTED", "spec.mediaExecution.mode",
            "media generation is not supported; use disabled");
  }
}

bool is_below(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  return path == folder ||
         (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

void check_sandbox(const SandboxPolicy& sandbox, const Ceilings& ceilings, Refusals& out) {
  if (!sandbox.env.empty()) {
    out.add(
        "ENV_NOT_ALLOWED", "spec.sandbox.env",
        "a compute run has exactly the documented environment; pass values as arguments or files");
  }
  if (sandbox.network && sandbox.network->enabled) {
    out.add("NETWORK_NOT_ALLOWED", "spec.sandbox.network.enabled",
            "runs have no network here; leave the field out");
  }
  if (!sandbox.devices.empty()) {
    out.add("DEVICE_NOT_ALLOWED", "spec.sandbox.devices",
            "devices come with spec.resources.accelerators; leave the field out");
  }
  for (size_t i = 0; i < sandbox.host_mounts.size(); ++i) {
    const std::string& path = sandbox.host_mounts[i].host_path;
    const bool allowed = std::ranges::any_of(
        ceilings.host_mounts, [&](const std::string& folder) { return is_below(path, folder); });
    if (allowed) continue;
    out.add("HOST_MOUNT_NOT_ALLOWED", cat("spec.sandbox.hostMounts[", i, "].hostPath"),
            cat("\"", path,
                "\" is not beneath a folder that the operator allows (ceilings.hostMounts)"));
  }
}

void check_ceilings(const SandboxLimits& limits, const Ceilings& ceilings, Refusals& out) {
  const auto bytes = [&](const char* name, const auto& limit, const auto& ceiling) {
    if (!limit || !ceiling || limit->bytes <= ceiling->bytes) return;
    out.add("LIMIT_OVER_CEILING", cat("spec.sandbox.limits.", name),
            cat(format_quantity(limit->bytes), " is over the operator's ceiling of ",
                format_quantity(ceiling->bytes)));
  };
  bytes("memory", limits.memory, ceilings.memory);
  bytes("fsBytes", limits.fs_bytes, ceilings.fs_bytes);
  bytes("stdout", limits.stdout_bytes, ceilings.output_bytes);
  bytes("stderr", limits.stderr_bytes, ceilings.output_bytes);
  if (limits.pids && ceilings.pids && *limits.pids > *ceilings.pids) {
    out.add("LIMIT_OVER_CEILING", "spec.sandbox.limits.pids",
            cat(*limits.pids, " is over the operator's ceiling of ", *ceilings.pids));
  }
}

void check_times(const RunSpec& spec, const SandboxPolicy& policy, const Ceilings& ceilings,
                 Refusals& out) {
  const auto over = [&](const char* field, const std::optional<wire::Duration>& time) {
    if (!time || *time <= ceilings.timeout) return;
    out.add("TIMEOUT_OVER_CEILING", field,
            cat(format_duration(time->value), " is over the operator's ceiling of ",
                format_duration(ceilings.timeout.value)));
  };
  over("spec.timeout", spec.timeout);
  if (!spec.timeout || spec.sandbox.limits.wall_time)
    over("spec.sandbox.limits.wallTime", policy.limits.wall_time);
}

void check_length(const RunSpec& spec, const SandboxPolicy& policy, Refusals& out) {
  size_t bytes = 0;
  for (const std::string& word : spec.command.argv) bytes += word.size() + 1;
  const auto& limit = policy.limits.command_bytes;
  if (!limit || bytes <= static_cast<size_t>(limit->bytes)) return;
  out.add("COMMAND_TOO_LONG", "spec.command",
          cat("the command has ", bytes, " bytes; at most ", limit->bytes, " are allowed"));
}

// The caller's limits on top of the profile's; the timeout is the wall time.
SandboxPolicy policy_for(const RunSpec& spec, const SandboxPolicy& profile) {
  SandboxPolicy policy = contracts::effective_policy(profile, spec.sandbox);
  if (!spec.timeout) return policy;
  const auto& requested = spec.sandbox.limits.wall_time;
  policy.limits.wall_time = requested ? std::min(*requested, *spec.timeout) : *spec.timeout;
  return policy;
}

void fill_defaults(RunSpec& spec, const std::string& profile, const SandboxPolicy& policy) {
  spec.profile = profile;
  if (!spec.timeout) spec.timeout = policy.limits.wall_time;
  if (!spec.media_execution) spec.media_execution = contracts::MediaExecution{};
}

}  // namespace

Result<AdmittedRun> admit(const RunSpec& spec, const AdmissionContext& context) {
  Refusals refusals;
  if (spec.type != contracts::RunType::kCompute) {
    refusals.add(
        "TYPE_NOT_SUPPORTED", "spec.type",
        cat("type ", wire::enum_name(spec.type), " is not supported by this server; use compute"));
    return std::move(refusals).take();
  }
  const std::string profile_name = spec.profile.empty() ? "compute" : spec.profile;
  const std::optional<SandboxPolicy> profile = contracts::profile_policy(profile_name);
  if (!profile) {
    refusals.add(
        "PROFILE_UNKNOWN", "spec.profile",
        cat("\"", profile_name, "\" is not one of: ", join(contracts::profile_names(), ", ")));
    return std::move(refusals).take();
  }
  if (spec.workspace.empty()) {
    refusals.add("WORKSPACE_REQUIRED", "spec.workspace",
                 "a compute run needs a workspace that holds its script");
  }
  AdmittedRun admitted{spec, policy_for(spec, *profile)};
  const FileNames files = file_names(context.tree);
  check_command_rules(spec, files, refusals);
  check_length(spec, admitted.policy, refusals);
  check_requirements(spec, files, refusals);
  check_artifact_dirs(spec, refusals);
  check_times(spec, admitted.policy, context.ceilings, refusals);
  check_ceilings(admitted.policy.limits, context.ceilings, refusals);
  check_sandbox(spec.sandbox, context.ceilings, refusals);
  check_unsupported(spec, refusals);
  if (!refusals.none()) return std::move(refusals).take();
  fill_defaults(admitted.spec, profile_name, admitted.policy);
  return admitted;
}

}  // namespace paddock::admission
