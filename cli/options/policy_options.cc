#include "cli/options/policy_options.h"

#include <algorithm>

#include "cli/options/names.h"
#include "cli/options/option_document.h"
#include "cli/options/option_values.h"

namespace paddock::cli {
namespace {

using contracts::SandboxPolicy;

constexpr int64_t kMost = int64_t{1} << 53;

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
  ASSIGN_OR_RETURN(const std::optional<int64_t> disk, quantity_option(parsed, "disk"));
  if (disk) limits.fs_bytes = limits.file_size = wire::Quantity{*disk};
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

Status apply_mounts(const Parsed& parsed, const std::string& cwd, SandboxPolicy& policy) {
  for (const std::string& text : parsed.list("mount")) {
    ASSIGN_OR_RETURN(contracts::HostMount mount, parse_mount(text, cwd));
    policy.host_mounts.push_back(std::move(mount));
  }
  return {};
}

contracts::NetworkPolicy& network_of(SandboxPolicy& policy) {
  if (!policy.network) policy.network.emplace();
  return *policy.network;
}

Status apply_loopback(const Parsed& parsed, SandboxPolicy& policy) {
  if (!parsed.has("loopback")) return {};
  const std::string text = parsed.text("loopback");
  if (text != "on" && text != "off")
    return invalid_argument("INVALID_OPTION", cat("`", text, "`: expected on or off"),
                            "--loopback");
  network_of(policy).loopback = text == "on";
  return {};
}

void apply_domains(const Parsed& parsed, SandboxPolicy& policy) {
  const std::vector<std::string> domains = parsed.list("allow-domain");
  if (domains.empty()) return;
  contracts::NetworkPolicy& network = network_of(policy);
  network.enabled = true;
  for (const std::string& domain : domains)
    if (std::ranges::find(network.allow_domains, domain) == network.allow_domains.end())
      network.allow_domains.push_back(domain);
}

}  // namespace

std::vector<OptionRow> policy_option_rows() {
  return {
      {"--memory", "Q", "memory of all processes together, e.g. 512Mi or 16Gi"},
      {"--pids", "N", "processes and threads at once"},
      {"--disk", "Q", "bytes in scratch space, that the workspace may grow by, and of one file"},
      {"--cpu-time", "D", "CPU time of all processes together"},
      {"--open-files", "N", "descriptors of one process"},
      {"--fs-bytes", "Q", "bytes in scratch space, and that the workspace may grow by"},
      {"--file-count", "N", "files in scratch space, and that the workspace may grow by"},
      {"--output-bytes", "Q", "output kept, of each stream"},
      {"--allow-domain", "HOST", "host that may be reached, or HOST:PORT; may be repeated", true},
      {"--loopback", "on|off", "whether programs inside reach each other by localhost"},
      {"--mount", "SRC:DST:ro|rw", "host folder that is visible inside; may be repeated", true},
      {"--policy", "FILE", "SandboxPolicy as YAML or JSON; - reads it from stdin"},
  };
}

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

Result<SandboxPolicy> policy_options(const Parsed& parsed, const std::string& cwd,
                                     const std::optional<std::string>& document,
                                     SandboxPolicy policy) {
  if (document) {
    ASSIGN_OR_RETURN(policy,
                     decode_document<SandboxPolicy>(parsed.text("policy", "--policy"), *document));
  }
  TRY(apply_times(parsed, policy.limits));
  TRY(apply_sizes(parsed, policy.limits));
  TRY(apply_counts(parsed, policy.limits));
  TRY(apply_mounts(parsed, cwd, policy));
  TRY(apply_loopback(parsed, policy));
  apply_domains(parsed, policy);
  for (const std::string& tool : parsed.list("tool")) policy.tools.push_back(tool);
  return policy;
}

}  // namespace paddock::cli
