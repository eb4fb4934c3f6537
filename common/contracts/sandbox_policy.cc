#include "common/contracts/sandbox_policy.h"

#include <algorithm>
#include <array>

namespace paddock::contracts {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using wire::Duration;
using wire::Quantity;

constexpr int64_t kMiB = int64_t{1} << 20;

struct Profile {
  std::string_view name;
  SandboxLimits limits;
};

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> kProfiles = {
      {"compute",  // ORB S6
       {.wall_time = Duration{minutes(30)},
        .memory = Quantity{8192 * kMiB},
        .pids = 64,
        .open_files = 4096,
        .file_size = Quantity{2048 * kMiB},
        .fs_bytes = Quantity{4096 * kMiB},
        .file_count = 1'000'000,
        .stdout_bytes = Quantity{64 * kMiB},
        .stderr_bytes = Quantity{64 * kMiB},
        .command_bytes = Quantity{65536}}},
      {"test",  // VLT defaults
       {.wall_time = Duration{seconds(30)},
        .cpu_time = Duration{seconds(20)},
        .memory = Quantity{512 * kMiB},
        .pids = 32,
        .open_files = 512,
        .file_size = Quantity{512 * kMiB},
        .fs_bytes = Quantity{512 * kMiB},
        .file_count = 100'000,
        .stdout_bytes = Quantity{kMiB},
        .stderr_bytes = Quantity{kMiB},
        .command_bytes = Quantity{65536}}},
      {"snippet",  // ELV 1.4
       {.wall_time = Duration{seconds(35)},
        .cpu_time = Duration{seconds(30)},
        .memory = Quantity{256 * kMiB},
        .pids = 8,
        .open_files = 16,
        .file_size = Quantity{kMiB},
        .fs_bytes = Quantity{48 * kMiB},
        .file_count = 10'000,
        .stdout_bytes = Quantity{kMiB},
        .stderr_bytes = Quantity{kMiB},
        .command_bytes = Quantity{65536}}},
      {"session",  // WSM defaults
       {.wall_time = Duration{seconds(10)},
        .cpu_time = Duration{seconds(10)},
        .memory = Quantity{256 * kMiB},
        .pids = 64,
        .open_files = 512,
        .file_size = Quantity{256 * kMiB},
        .fs_bytes = Quantity{256 * kMiB},
        .file_count = 100'000,
        .stdout_bytes = Quantity{kMiB},
        .stderr_bytes = Quantity{kMiB},
        .command_bytes = Quantity{65536}}},
  };
  return kProfiles;
}

bool is_clean_absolute(std::string_view path) {
  if (path.size() < 2 || path[0] != '/' || path.find('\0') != std::string_view::npos) return false;
  for (const std::string& part : split(path.substr(1), '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::ranges::all_of(name, [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

}  // namespace

SandboxLimits SandboxLimits::overridden_by(const SandboxLimits& over) const {
  SandboxLimits out = *this;
  std::apply(
      [&](const auto&... f) {
        ((over.*(f.member) ? void(out.*(f.member) = over.*(f.member)) : void()), ...);
      },
      describe());
  return out;
}

void SandboxPolicy::validate(wire::Check& check) const {
  for (size_t i = 0; i < host_mounts.size(); ++i) {
    wire::Check::Scope list(check, "hostMounts");
    wire::Check::Scope item(check, i);
    if (!is_clean_absolute(host_mounts[i].host_path))
      check.fail("hostPath", "must be an absolute path without . or ..");
    if (!is_clean_absolute(host_mounts[i].sandbox_path))
      check.fail("sandboxPath", "must be an absolute path without . or ..");
  }
  const auto positive = [&](const char* name, const std::optional<Quantity>& limit) {
    if (limit && limit->bytes <= 0) check.fail(cat("limits.", name), "must be more than zero");
  };
  positive("memory", limits.memory);
  positive("fileSize", limits.file_size);
  positive("fsBytes", limits.fs_bytes);
  positive("stdout", limits.stdout_bytes);
  positive("stderr", limits.stderr_bytes);
  positive("commandBytes", limits.command_bytes);
  for (const auto& [name, value] : env) {
    if (!is_variable_name(name)) check.fail(cat("env.", name), "is not a variable name");
    if (value.find('\0') != std::string::npos)
      check.fail(cat("env.", name), "must not contain a NUL byte");
  }
  if (network && !network->enabled && !network->allow_domains.empty()) {
    check.fail("network.allowDomains", "has no effect while network.enabled is false");
  }
}

std::optional<SandboxPolicy> profile_policy(std::string_view profile) {
  const auto found = std::ranges::find(profiles(), profile, &Profile::name);
  if (found == profiles().end()) return std::nullopt;
  SandboxPolicy policy;
  policy.network = NetworkPolicy{};
  policy.limits = found->limits;
  return policy;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.emplace_back(profile.name);
  return names;
}

SandboxPolicy effective_policy(const SandboxPolicy& profile, const SandboxPolicy& requested) {
  SandboxPolicy out = requested;
  if (!out.network) out.network = profile.network;
  if (out.tools.empty()) out.tools = profile.tools;
  out.limits = profile.limits.overridden_by(requested.limits);
  return out;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SandboxPolicy);
