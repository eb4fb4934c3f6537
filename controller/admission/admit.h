// admit(): whether a run may be created, and what exactly it will be. Pure. Ceilings refuse, they
// never clamp; what the caller wrote is never rewritten, only absent fields are filled in.
//
// Refusals are InvalidArgument with every cause at its field. Reasons:
// COMMAND_REQUIRED, COMMAND_NOT_ALLOWED, COMMAND_METACHARACTER, COMMAND_FLAG_BLOCKED,
// COMMAND_TOO_LONG, SCRIPT_REQUIRED, SCRIPT_NOT_FOUND, SCRIPT_NOT_EXECUTABLE, TASK_INVALID,
// TEST_NOT_FOUND, CODE_REQUIRED, INPUT_DATA_TOO_LARGE, FIELD_NOT_SUPPORTED,
// PATH_ESCAPES_WORKSPACE, WORKSPACE_REQUIRED,
// REQUIREMENTS_INVALID, STDIN_FILE_INVALID, ARTIFACT_DIR_INVALID, TIMEOUT_OVER_CEILING,
// LIMIT_OVER_CEILING, GRACE_OVER_CEILING, DISK_OVER_LIMIT,
// PROFILE_UNKNOWN, ENV_NOT_ALLOWED, NETWORK_NOT_ALLOWED,
// HOST_MOUNT_NOT_ALLOWED, DEVICE_NOT_ALLOWED, VOLUME_NAME_INVALID, VOLUME_TWICE,
// PUBLISH_WITHOUT_ARTIFACTS, TOOL_BUNDLE_NOT_SUPPORTED, SECRET_TWICE,
// ARRAY_NOT_SUPPORTED, GANG_NOT_SUPPORTED, GANG_NETWORK_UNAVAILABLE.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/contracts/host_limits.h"
#include "common/contracts/profile.h"
#include "common/contracts/run.h"
#include "controller/admission/command_rules.h"

namespace paddock::admission {

// A day of wall time, five minutes of grace; no network, no folders and no devices of a node.
contracts::Ceilings default_ceilings();

struct AdmissionContext {
  contracts::Ceilings ceilings = default_ceilings();
  contracts::Profiles profiles = contracts::builtin_profiles();
  // What the largest node has to give; the defaults of this host where there is no node.
  contracts::SandboxLimits largest = contracts::limits_of_host({}, contracts::builtin_profiles());
  const contracts::Tree* tree = nullptr;  // of spec.workspace; nullptr when the run names none
  const FileNames* files = nullptr;       // of that tree, from one who admits many runs of it
  // The workspace is still to be made: that none is named is no refusal, and without `tree` nothing
  // is asked that its files would answer.
  bool files_later = false;
};

struct AdmittedRun {
  contracts::RunSpec spec;                         // defaults filled in
  contracts::SandboxPolicy policy;                 // effective
  std::map<std::string, std::string> environment;  // the profile's
};

// The spec with what admission fills in where the caller wrote nothing. A profile that is not there
// fills in nothing.
contracts::RunSpec with_defaults(contracts::RunSpec spec, const contracts::Profiles& profiles);
// The profile that a spec names, or its type's.
std::string profile_of(const contracts::RunSpec& spec);
// The caller's limits on top of the profile's; the timeout is the wall time.
contracts::SandboxPolicy policy_for(const contracts::RunSpec& spec,
                                    const contracts::SandboxPolicy& profile);
// What a policy asks for beyond the operator's ceilings and the largest node, by its fields.
std::vector<contracts::CeilingRefusal> ceiling_refusals(const contracts::SandboxPolicy& policy,
                                                        const contracts::Ceilings& ceilings,
                                                        const contracts::SandboxLimits& largest);
// What a caller's run says of media, or the public default where it says nothing.
contracts::MediaExecution wanted_media(const contracts::RunSpec& spec);

// `media` says which media the run may have generated. Every route that creates runs gives it, and
// the stored run has it as it is.
Result<AdmittedRun> admit(const contracts::RunSpec& spec, const contracts::MediaExecution& media,
                          const AdmissionContext& context);

}  // namespace paddock::admission
