// admit(): whether a run may be created, and what exactly it will be. Pure. Ceilings refuse, they
// never clamp; what the caller wrote is never rewritten, only absent fields are filled in.
//
// Refusals are InvalidArgument with every cause at its field. Reasons: TYPE_NOT_SUPPORTED,
// COMMAND_REQUIRED, COMMAND_NOT_ALLOWED, COMMAND_METACHARACTER, COMMAND_FLAG_BLOCKED,
// COMMAND_TOO_LONG, SCRIPT_REQUIRED, SCRIPT_NOT_FOUND, PATH_ESCAPES_WORKSPACE, WORKSPACE_REQUIRED,
// REQUIREMENTS_INVALID, ARTIFACT_DIR_INVALID, TIMEOUT_OVER_CEILING, LIMIT_OVER_CEILING,
// PROFILE_UNKNOWN, ENV_NOT_ALLOWED, NETWORK_NOT_ALLOWED, HOST_MOUNT_NOT_ALLOWED,
// DEVICE_NOT_ALLOWED, MEDIA_NOT_SUPPORTED, PUBLISH_NOT_SUPPORTED.
#pragma once

#include <tuple>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::admission {

// What the operator lets a run ask for at most. An absent limit is not bounded here.
struct Ceilings {
  wire::Duration timeout{std::chrono::hours(24)};
  std::optional<wire::Quantity> memory;
  std::optional<int64_t> pids;
  std::optional<wire::Quantity> fs_bytes;
  std::optional<wire::Quantity> output_bytes;  // of each stream
  std::vector<std::string> host_mounts;  // folders of the nodes that runs may mount, with all below
  static constexpr auto describe() {
    using wire::field;
    return std::tuple{
        field("timeout", &Ceilings::timeout, "longest wall time of a run"),
        field("memory", &Ceilings::memory, "largest memory limit of a run; unbounded when absent"),
        field("pids", &Ceilings::pids, "largest pids limit of a run; unbounded when absent",
              {.min = 1}),
        field("fsBytes", &Ceilings::fs_bytes,
              "largest private scratch space of a run; unbounded when absent"),
        field("outputBytes", &Ceilings::output_bytes,
              "most kept of each output stream; unbounded when absent"),
        field("hostMounts", &Ceilings::host_mounts, "folders of the nodes that runs may ask to see",
              {.max_length = 64}),
    };
  }
};

struct AdmissionContext {
  Ceilings ceilings;
  const contracts::Tree* tree = nullptr;  // of spec.workspace; nullptr when the run names none
};

struct AdmittedRun {
  contracts::RunSpec spec;          // defaults filled in
  contracts::SandboxPolicy policy;  // effective
};

Result<AdmittedRun> admit(const contracts::RunSpec& spec, const AdmissionContext& context);

}  // namespace paddock::admission
