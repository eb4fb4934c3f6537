// What an operator lets a policy ask for at most. Ceilings refuse, they never clamp. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/reason.h"
#include "common/contracts/sandbox_policy.h"

namespace paddock::contracts {

struct Ceilings {
  SandboxLimits limits;  // an absent one is bounded by what hosts have (host_limits.h)
  bool network = false;
  std::vector<std::string> host_mounts;  // these folders and all below may be mounted
  std::vector<std::string> devices;
  std::optional<wire::Wait> termination_grace;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("limits", &Ceilings::limits,
              "largest limits; those left out follow from what hosts have"),
        field("network", &Ceilings::network, "whether a policy may allow domains"),
        field("hostMounts", &Ceilings::host_mounts,
              "folders of the host that a policy may mount, with all below", {.max_length = 64}),
        field("devices", &Ceilings::devices, "devices that a policy may name", {.max_length = 64}),
        field("terminationGrace", &Ceilings::termination_grace,
              "longest time between SIGTERM and SIGKILL that a run may ask for"));
  }
  void validate(wire::Check& check) const;
};

struct CeilingRefusal {
  Reason reason;  // LIMIT_OVER_CEILING, NETWORK_, HOST_MOUNT_ or DEVICE_NOT_ALLOWED, INVALID_MOUNT
  std::string field;    // of the policy: `limits.memory`
  std::string message;  // what was asked for, the ceiling, what would pass
};

// How a refusal ends: by the setting that an operator would change. `setting`: "limits.memory".
std::string raised_by(std::string_view setting);
// `asked` is over `most`, what passes, and the setting.
std::string over_ceiling_text(std::string_view asked, std::string_view most,
                              std::string_view setting);
// Everything in the effective policy that is over a ceiling, and mounts where none can be. An
// absent limit is no limit, and so over any ceiling.
std::vector<CeilingRefusal> over_ceilings(const SandboxPolicy& effective, const Ceilings& ceilings);
// FailedPrecondition with the first reason and every cause; OK when nothing is over.
Status check_ceilings(const SandboxPolicy& effective, const Ceilings& ceilings);
// What is wrong with the field terminationGrace whatever the operator says.
void check_grace_field(const std::optional<wire::Wait>& grace, wire::Check& check);
// GRACE_OVER_CEILING at terminationGrace; an absent ceiling or grace is none.
Status check_grace(const std::optional<wire::Wait>& grace, const Ceilings& ceilings);

// What holds at one node: its operator's ceilings where there are any (else no network), and the
// limits that it named no ceiling for, by what the host has (host_limits.h).
struct NodeBounds {
  std::optional<Ceilings> ceilings = {};
  SandboxLimits largest = {};
};
Status check_node_bounds(const SandboxPolicy& effective, const NodeBounds& node);

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Ceilings);
