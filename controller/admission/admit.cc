#include "controller/admission/admit.h"

#include <algorithm>

#include "controller/admission/array_rules.h"
#include "controller/admission/command_rules.h"
#include "controller/admission/field_rules.h"
#include "controller/admission/gradle_rules.h"
#include "controller/admission/pytest_rules.h"
#include "controller/admission/secret_rules.h"
#include "controller/admission/type_fields.h"

namespace paddock::admission {
namespace {

using contracts::RunSpec;
using contracts::RunType;
using contracts::SandboxPolicy;
using contracts::Tree;

VolumeNames volume_names(const RunSpec& spec) {
  VolumeNames names;
  for (const contracts::VolumeUse& volume : spec.volumes) names.push_back(volume.name);
  return names;
}

// The rules of each type for its command.
std::vector<Refusal> check_typed_command(const RunSpec& spec, const Tree* tree,
                                         const FileNames& files) {
  const std::vector<std::string>& argv = spec.command.argv;
  switch (spec.type) {
    case RunType::kCompute:
      return check_command(argv, files, volume_names(spec));
    case RunType::kScript:
      return check_script_command(argv, files, volume_names(spec));
    case RunType::kGradle:
      return check_gradle_command(argv, tree);
    case RunType::kTest:
      return check_pytest_command(argv, files);
    case RunType::kCode:   // has none: check_type_fields
    case RunType::kAgent:  // any program: the sandbox alone holds it
    case RunType::kCommand:
      return {};
  }
  return {};
}

// Whether the refusal depends on which files the workspace has, and not on the words of the command
// alone.
bool is_about_files(const Refusal& refusal) {
  return is_one_of(refusal.reason, {"SCRIPT_NOT_FOUND", "SCRIPT_NOT_EXECUTABLE", "TEST_NOT_FOUND"});
}

// A file that is not there is nowhere else.
bool has_other_way(RunType type, const Refusal& refusal) {
  return (type == RunType::kCompute || type == RunType::kScript) && !is_about_files(refusal);
}
constexpr const char* kOtherWay =
    "; type command (`paddock run`) runs any program with any arguments";

void check_command_rules(const RunSpec& spec, const Tree* tree, const FileNames* files,
                         Refusals& out) {
  for (Refusal& refusal :
       check_typed_command(spec, tree, files != nullptr ? *files : FileNames())) {
    if (files == nullptr && is_about_files(refusal)) continue;
    // The first refusal becomes the message of the whole error, so it alone mentions the other way
    // to run the program.
    std::string message = std::move(refusal.message);
    if (out.none() && has_other_way(spec.type, refusal)) message += kOtherWay;
    out.add(refusal.reason, cat("spec.command[", refusal.word, "]"), std::move(message));
  }
}

void check_type(const RunSpec& spec, Refusals& out) {
  for (FieldRefusal& each : check_type_fields(spec))
    out.add(each.reason, std::move(each.field), std::move(each.message));
}

bool is_build(RunType type) { return type == RunType::kScript || type == RunType::kGradle; }

// A compute run gets exactly the variables that the profile `compute` sets. Builds start from that
// profile and may add to it.
bool has_fixed_environment(RunType type, std::string_view profile) {
  return type == RunType::kCompute || (profile == "compute" && !is_build(type));
}

std::map<std::string, std::string> environment_of(RunType type, const contracts::Profile& profile) {
  std::map<std::string, std::string> out = profile.environment;
  if (is_build(type))
    out.insert(contracts::build_environment().begin(), contracts::build_environment().end());
  return out;
}

void check_environment(const RunSpec& spec, const std::string& profile_name,
                       const AdmittedRun& admitted, Refusals& out) {
  if (!spec.sandbox.env.empty() && has_fixed_environment(spec.type, profile_name)) {
    return out.add("ENV_NOT_ALLOWED", "spec.sandbox.env",
                   "a compute run has exactly the documented environment; pass values as arguments "
                   "or files, or use type command with its own profile (`paddock run`), which "
                   "takes variables");
  }
  const auto environment = contracts::command_environment(
      admitted.environment, admitted.policy, true, contracts::replaces_variables(spec.type));
  if (environment.ok()) return;
  for (const Cause& cause : environment.error().causes)
    out.add("ENV_NOT_ALLOWED", cat("spec.sandbox.", cause.field), cause.message);
}

void check_secrets(const RunSpec& spec, const std::string& profile_name,
                   const std::map<std::string, std::string>& environment, Refusals& out) {
  const bool fixed = has_fixed_environment(spec.type, profile_name);
  for (FieldRefusal& each : check_secret_uses(spec, fixed, environment))
    out.add(each.reason, std::move(each.field), std::move(each.message));
}

void check_ceilings(const RunSpec& spec, const SandboxPolicy& policy,
                    const contracts::Ceilings& ceilings, const contracts::SandboxLimits& largest,
                    Refusals& out) {
  const auto& longest = ceilings.limits.wall_time;
  const bool late = spec.timeout && longest && *spec.timeout > *longest;
  if (late) {
    out.add("TIMEOUT_OVER_CEILING", "spec.timeout",
            contracts::over_ceiling_text(format_duration(spec.timeout->value),
                                         format_duration(longest->value), "limits.wallTime"));
  }
  for (contracts::CeilingRefusal& refusal : ceiling_refusals(policy, ceilings, largest)) {
    const bool time = refusal.field == "limits.wallTime";
    if (time && late) continue;
    out.add(time ? Reason("TIMEOUT_OVER_CEILING") : refusal.reason,
            cat("spec.sandbox.", refusal.field), std::move(refusal.message));
  }
}

// The kernel would not let the run write more than these limits, so disk beyond them would only be
// kept from other runs.
void check_disk(const RunSpec& spec, const SandboxPolicy& policy,
                const contracts::SandboxLimits& largest, Refusals& out) {
  if (!spec.resources || !spec.resources->disk) return;
  const wire::Quantity asked = *spec.resources->disk;
  const auto& most = policy.limits.fs_bytes ? policy.limits.fs_bytes : largest.fs_bytes;
  if (!most || asked <= *most) return;
  out.add("DISK_OVER_LIMIT", "spec.resources.disk",
          cat(format_quantity(asked.bytes),
              " is more than the run may write (limits.fsBytes: ", format_quantity(most->bytes),
              "); ask for less, or raise spec.sandbox.limits.fsBytes ", "too"));
}

void check_grace(const RunSpec& spec, const contracts::Ceilings& ceilings, Refusals& out) {
  const Status allowed = contracts::check_grace(spec.termination_grace, ceilings);
  if (!allowed.ok())
    out.add(allowed.error().reason, "spec.terminationGrace", allowed.error().message);
}

void check_length(const RunSpec& spec, const SandboxPolicy& policy, Refusals& out) {
  size_t bytes = spec.command.argv.empty() ? 0 : spec.command.argv.size() - 1;  // between the words
  for (const std::string& word : spec.command.argv) bytes += word.size();
  const auto& limit = policy.limits.command_bytes;
  if (!limit || bytes <= static_cast<size_t>(limit->bytes)) return;
  out.add("COMMAND_TOO_LONG", "spec.command",
          cat("the command has ", bytes, " bytes; at most ", limit->bytes, " are allowed"));
}

void fill_defaults(RunSpec& spec, const std::string& profile, const SandboxPolicy& policy) {
  spec.profile = profile;
  if (!spec.timeout) spec.timeout = policy.limits.wall_time;
  if (!spec.media_execution) spec.media_execution = contracts::default_media_execution();
}

}  // namespace

contracts::Ceilings default_ceilings() {
  contracts::Ceilings ceilings;
  ceilings.limits.wall_time = wire::Duration{std::chrono::hours(24)};
  ceilings.limits.open_files = 65536;
  // A run that is to end keeps others waiting for as long as its grace; a drain waits as long
  // unless told otherwise.
  ceilings.termination_grace = wire::Wait{std::chrono::minutes(5)};
  // All of it is kept in the controller's store.
  ceilings.limits.stdout_bytes = ceilings.limits.stderr_bytes = wire::Quantity{256 << 20};
  return ceilings;
}

SandboxPolicy policy_for(const RunSpec& spec, const SandboxPolicy& profile) {
  SandboxPolicy policy = contracts::effective_policy(profile, spec.sandbox);
  if (!spec.timeout) return policy;
  const auto& requested = spec.sandbox.limits.wall_time;
  policy.limits.wall_time = requested ? std::min(*requested, *spec.timeout) : *spec.timeout;
  return policy;
}

std::string profile_of(const RunSpec& spec) {
  if (!spec.profile.empty()) return spec.profile;
  switch (spec.type) {
    case RunType::kAgent:
      return "agent";
    case RunType::kCommand:
      return "command";
    case RunType::kCode:
      return "code";
    case RunType::kTest:
      return "test";
    case RunType::kCompute:
    case RunType::kScript:
    case RunType::kGradle:
      return "compute";
  }
  return "compute";
}

std::vector<contracts::CeilingRefusal> ceiling_refusals(const SandboxPolicy& policy,
                                                        const contracts::Ceilings& ceilings,
                                                        const contracts::SandboxLimits& largest) {
  std::vector<contracts::CeilingRefusal> over = contracts::over_ceilings(policy, ceilings);
  for (auto& each : contracts::over_largest(policy, largest, ceilings, "the largest node known"))
    over.push_back(std::move(each));
  return over;
}

RunSpec with_defaults(RunSpec spec, const contracts::Profiles& profiles) {
  const std::string name = profile_of(spec);
  const auto profile = profiles.find(name);
  if (profile != profiles.end())
    fill_defaults(spec, name, policy_for(spec, profile->second.policy));
  return spec;
}

contracts::MediaExecution wanted_media(const RunSpec& spec) {
  return spec.media_execution.value_or(contracts::default_media_execution());
}

Result<AdmittedRun> admit(const RunSpec& spec, const contracts::MediaExecution& media,
                          const AdmissionContext& context) {
  Refusals refusals;
  const std::string profile_name = profile_of(spec);
  const auto profile = context.profiles.find(profile_name);
  if (profile == context.profiles.end()) {
    refusals.add(
        "PROFILE_UNKNOWN", "spec.profile",
        cat("\"", profile_name, "\" is not one of: ", contracts::names_of(context.profiles)),
        CauseKind::kNotSupported);
    return std::move(refusals).take();
  }
  if (!context.files_later) check_workspace(spec, refusals);
  check_type(spec, refusals);
  check_array(spec, refusals);
  AdmittedRun admitted{spec, policy_for(spec, profile->second.policy),
                       environment_of(spec.type, profile->second)};
  const bool known = context.files != nullptr || context.tree == nullptr;
  const FileNames found = known ? FileNames() : FileNames(*context.tree);
  const bool unknown = context.files_later && context.tree == nullptr;
  const FileNames* files = unknown ? nullptr : context.files != nullptr ? context.files : &found;
  check_command_rules(spec, context.tree, files, refusals);
  check_length(spec, admitted.policy, refusals);
  check_requirements(spec, files, refusals);
  check_stdin_file(spec, files, refusals);
  check_artifact_dirs(spec, refusals);
  check_publish(spec, refusals);
  check_volumes(spec, refusals);
  check_tool_bundle(spec, refusals);
  check_ceilings(spec, admitted.policy, context.ceilings, context.largest, refusals);
  check_disk(spec, admitted.policy, context.largest, refusals);
  check_grace(spec, context.ceilings, refusals);
  check_environment(spec, profile_name, admitted, refusals);
  check_secrets(spec, profile_name, admitted.environment, refusals);
  if (!refusals.none()) return std::move(refusals).take();
  fill_defaults(admitted.spec, profile_name, admitted.policy);
  admitted.spec.media_execution = media;
  return admitted;
}

}  // namespace paddock::admission
