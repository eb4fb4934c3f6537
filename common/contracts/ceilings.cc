#include "common/contracts/ceilings.h"

#include <algorithm>

#include "common/contracts/host_limits.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/limit_text.h"
#include "common/contracts/mount_places.h"
#include "common/contracts/run.h"

namespace paddock::contracts {
namespace {

template <class T>
void check_limit(const char* name, const std::optional<T>& limit, const std::optional<T>& ceiling,
                 std::vector<CeilingRefusal>& out) {
  if (!ceiling || (limit && *limit <= *ceiling)) return;
  const std::string field = cat("limits.", name);
  out.push_back(
      {"LIMIT_OVER_CEILING", field,
       over_ceiling_text(limit ? limit_text(*limit) : "no limit", limit_text(*ceiling), field)});
}

std::string listed(const std::vector<std::string>& allowed, std::string_view setting) {
  return cat(allowed.empty() ? "none is allowed" : cat("allowed: ", join(allowed, ", ")),
             raised_by(setting));
}

Status refused(const std::vector<CeilingRefusal>& refusals) {
  if (refusals.empty()) return {};
  Error error{Code::kFailedPrecondition, refusals[0].reason,
              cat(refusals[0].field, ": ", refusals[0].message)};
  for (const CeilingRefusal& refusal : refusals)
    error.causes.push_back({refusal.field, refusal.message});
  return error;
}

bool allows_mount(const std::vector<std::string>& folders, const std::string& path) {
  return std::ranges::any_of(folders,
                             [&](const std::string& folder) { return is_within(path, folder); });
}

}  // namespace

void Ceilings::validate(wire::Check& check) const {
  for (size_t i = 0; i < host_mounts.size(); ++i) {
    if (host_mounts[i] == "/" || is_clean_absolute(host_mounts[i])) continue;
    check.fail(cat("hostMounts[", i, "]"), "must be an absolute path without . or ..");
  }
}

std::string raised_by(std::string_view setting) {
  return cat("; an operator can change it: ceilings.", setting,
             " of the controller and of its nodes");
}

std::string over_ceiling_text(std::string_view asked, std::string_view most,
                              std::string_view setting) {
  return cat(asked, " is over the operator's ceiling of ", most, "; ask for at most ", most,
             raised_by(setting));
}

std::vector<CeilingRefusal> over_ceilings(const SandboxPolicy& effective,
                                          const Ceilings& ceilings) {
  std::vector<CeilingRefusal> out;
  SandboxLimits::describe([&](const auto&... f) {
    (check_limit(f.name, effective.limits.*(f.member), ceilings.limits.*(f.member), out), ...);
  });
  if (effective.network && effective.network->enabled && !ceilings.network) {
    out.push_back(
        {"NETWORK_NOT_ALLOWED", "network.enabled",
         cat("the operator allows no network; leave the field out", raised_by("network"))});
  }
  for (size_t i = 0; i < effective.host_mounts.size(); ++i) {
    if (const std::string& place = effective.host_mounts[i].sandbox_path; is_system_place(place))
      out.push_back(
          {"INVALID_MOUNT", cat("hostMounts[", i, "].sandboxPath"), system_place_fault(place)});
    if (allows_mount(ceilings.host_mounts, effective.host_mounts[i].host_path)) continue;
    out.push_back({"HOST_MOUNT_NOT_ALLOWED", cat("hostMounts[", i, "].hostPath"),
                   cat("\"", effective.host_mounts[i].host_path,
                       "\" is not beneath a folder that the operator allows; ",
                       listed(ceilings.host_mounts, "hostMounts"))});
  }
  for (size_t i = 0; i < effective.devices.size(); ++i) {
    if (std::ranges::find(ceilings.devices, effective.devices[i]) != ceilings.devices.end())
      continue;
    out.push_back({"DEVICE_NOT_ALLOWED", cat("devices[", i, "]"),
                   cat("\"", effective.devices[i], "\" is not a device that the operator allows; ",
                       listed(ceilings.devices, "devices"))});
  }
  return out;
}

Status check_ceilings(const SandboxPolicy& effective, const Ceilings& ceilings) {
  return refused(over_ceilings(effective, ceilings));
}

void check_grace_field(const std::optional<wire::Wait>& grace, wire::Check& check) {
  if (grace && (grace->value < Millis(0) || grace->value > kLongestGrace))
    check.fail("terminationGrace", "must be at most 24h");
}

Status check_grace(const std::optional<wire::Wait>& grace, const Ceilings& ceilings) {
  const auto& most = ceilings.termination_grace;
  if (!grace || !most || *grace <= *most) return {};
  return invalid_argument(
      "GRACE_OVER_CEILING",
      over_ceiling_text(limit_text(*grace), limit_text(*most), "terminationGrace"),
      "terminationGrace");
}

Status check_node_bounds(const SandboxPolicy& effective, const NodeBounds& node) {
  if (node.ceilings) {
    TRY(check_ceilings(effective, *node.ceilings));
  } else if (effective.network && effective.network->enabled) {
    return Error{
        Code::kFailedPrecondition, "NETWORK_NOT_ALLOWED",
        cat("network.enabled: the operator of this node has not allowed it", raised_by("network"))};
  }
  return refused(
      over_largest(effective, node.largest, node.ceilings.value_or(Ceilings{}), "this node"));
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Ceilings);
