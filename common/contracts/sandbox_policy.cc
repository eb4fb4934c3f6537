#include "common/contracts/sandbox_policy.h"

#include <algorithm>
#include <array>

#include "common/base/append_new.h"
#include "common/contracts/domain_rule.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/volume.h"

namespace paddock::contracts {
namespace {

using wire::Check;
using wire::Duration;
using wire::Quantity;

constexpr Duration kLongest{std::chrono::hours(24 * 30)};
constexpr int64_t kMostBytes = int64_t{1} << 50;
// Less cannot hold any program's first pages.
constexpr int64_t kLeastMemory = int64_t{1} << 20;
// Where the run's own files are: no host folder may take their place.
constexpr std::array<std::string_view, 5> kOwnFolders = {
    kSandboxWorkspace, kSandboxVenv, kSandboxNodeModules, kSandboxDriver, kSandboxVolumes};
// Where files of the command can be, beside the sandboxPath of each mount.
constexpr std::array<std::string_view, 5> kFoldersInside = {kSandboxWorkspace, kSandboxVenv,
                                                            kSandboxTmp, kSandboxVolumes, "/usr"};
constexpr std::array<std::string_view, 2> kPathVariables = {"PYTHONPATH", "COVERAGE_PROCESS_START"};

void check_range(std::string_view name, const std::optional<Quantity>& limit, Check& check) {
  if (!limit) return;
  const int64_t least = name == "memory" || name == "addressSpace" ? kLeastMemory : 1;
  if (limit->bytes <= 0) {
    check.fail(name, "must be more than zero");
  } else if (limit->bytes < least) {
    check.fail(name, cat("must be at least ", format_quantity(least)));
  } else if (limit->bytes > kMostBytes) {
    check.fail(name, cat("must be at most ", format_quantity(kMostBytes)));
  }
}

void check_range(std::string_view name, const std::optional<Duration>& limit, Check& check) {
  if (limit && *limit > kLongest)
    check.fail(name, cat("must be at most ", format_duration(kLongest.value)));
}

// The bounds of a count are those of its field.
void check_range(std::string_view, const std::optional<int64_t>&, Check&) {}

void check_limits(const SandboxLimits& limits, Check& check) {
  const Check::Scope scope(check, "limits");
  SandboxLimits::describe(
      [&](const auto&... f) { (check_range(f.name, limits.*(f.member), check), ...); });
}

// The path that a mount's place inside collides with; empty when it is free.
std::string taken_by(const std::vector<HostMount>& mounts, size_t at) {
  const std::string& path = mounts[at].sandbox_path;
  for (const std::string_view own : kOwnFolders) {
    if (is_within(own, path)) return std::string(own);
  }
  for (size_t i = 0; i < at; ++i) {
    const std::string& other = mounts[i].sandbox_path;
    if (is_within(path, other) || is_within(other, path)) return other;
  }
  return {};
}

void check_mounts(const std::vector<HostMount>& mounts, Check& check) {
  const Check::Scope list(check, "hostMounts");
  for (size_t i = 0; i < mounts.size(); ++i) {
    const Check::Scope item(check, i);
    if (!is_clean_absolute(mounts[i].host_path))
      check.fail("hostPath", "must be an absolute path without . or ..");
    if (!is_clean_absolute(mounts[i].sandbox_path)) {
      check.fail("sandboxPath", "must be an absolute path without . or ..");
    } else if (const std::string taken = taken_by(mounts, i); !taken.empty()) {
      check.fail("sandboxPath", cat("overlaps ", taken));
    }
  }
}

// A list of names, each once and not empty.
void check_names(const char* field, const std::vector<std::string>& names, size_t most,
                 Check& check) {
  const Check::Scope list(check, field);
  for (size_t i = 0; i < names.size(); ++i) {
    const Check::Scope item(check, i);
    if (names[i].empty() || names[i].size() > most || names[i].find('\0') != std::string::npos) {
      check.fail(cat("must have 1 to ", most, " bytes and no NUL byte"));
    } else if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
               names.begin() + static_cast<std::ptrdiff_t>(i)) {
      check.fail("is given twice");
    }
  }
}

bool is_inside(std::string_view path, const std::vector<HostMount>& mounts) {
  if (!is_clean_absolute(path)) return false;
  return std::ranges::any_of(kFoldersInside,
                             [&](std::string_view folder) { return is_within(path, folder); }) ||
         std::ranges::any_of(
             mounts, [&](const HostMount& mount) { return is_within(path, mount.sandbox_path); });
}

// PYTHONPATH may be empty; each path in it, and the one of COVERAGE_PROCESS_START, exists inside.
bool has_paths_inside(std::string_view name, const std::string& value,
                      const std::vector<HostMount>& mounts) {
  if (name == "PYTHONPATH" && value.empty()) return true;
  if (name != "PYTHONPATH") return is_inside(value, mounts);
  const std::vector<std::string> parts = split(value, ':');
  return std::ranges::all_of(parts,
                             [&](const std::string& part) { return is_inside(part, mounts); });
}

void check_variables(const SandboxPolicy& policy, Check& check) {
  const Check::Scope scope(check, "env");
  for (const auto& [name, value] : policy.env) {
    const Check::Scope variable(check, name);
    if (const std::string fault = variable_fault(name, value); !fault.empty()) {
      check.fail(fault);
    } else if (std::ranges::count(kPathVariables, name) > 0 &&
               !has_paths_inside(name, value, policy.host_mounts)) {
      check.fail(
          "may only name absolute paths inside: beneath /workspace, where the project's folder is, "
          "/venv, /tmp, /volumes, /usr or a mount's sandboxPath");
    }
  }
}

void check_network(const NetworkPolicy& network, Check& check) {
  if (!network.enabled) {
    if (!network.allow_domains.empty())
      check.fail("network.allowDomains", "has no effect while network.enabled is false");
    return;
  }
  if (network.allow_domains.empty()) {
    check.fail("network.allowDomains", "must name at least one domain, or leave network disabled");
    return;
  }
  {
    const Check::Scope scope(check, "network");
    check_names("allowDomains", network.allow_domains, 260, check);
  }
  const auto rules = parse_domain_rules(network.allow_domains);
  if (rules.ok()) return;
  for (const Cause& cause : rules.error().causes) check.fail(cause.field, cause.message);
}

}  // namespace

SandboxLimits SandboxLimits::overridden_by(const SandboxLimits& over) const {
  SandboxLimits out = *this;
  describe([&](const auto&... f) {
    ((over.*(f.member) ? void(out.*(f.member) = over.*(f.member)) : void()), ...);
  });
  return out;
}

void SandboxPolicy::validate(Check& check) const {
  check_mounts(host_mounts, check);
  check_limits(limits, check);
  check_names("tools", tools, 255, check);
  check_names("devices", devices, 4096, check);
  check_variables(*this, check);
  if (network) check_network(*network, check);
}

SandboxPolicy effective_policy(const SandboxPolicy& profile, const SandboxPolicy& requested) {
  SandboxPolicy out = requested;
  if (!out.network) out.network = profile.network;
  if (profile.network && !out.network->loopback) out.network->loopback = profile.network->loopback;
  if (out.tools.empty()) out.tools = profile.tools;
  out.limits = profile.limits.overridden_by(requested.limits);
  // More memory is of no use without the address space for it. Less lowers none: programs reserve
  // far more of it than they ever touch.
  if (out.limits.address_space && !requested.limits.address_space && requested.limits.memory)
    out.limits.address_space = std::max(*out.limits.address_space, *requested.limits.memory);
  out.host_mounts = profile.host_mounts;
  append_new(out.host_mounts, requested.host_mounts);
  out.devices = profile.devices;
  append_new(out.devices, requested.devices);
  out.env.insert(profile.env.begin(), profile.env.end());
  out.allow_partial = requested.allow_partial || profile.allow_partial;
  return out;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SandboxPolicy);
