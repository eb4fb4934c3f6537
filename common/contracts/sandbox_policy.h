// SandboxPolicy: what a program may do and use. Fixed for the life of a run or session.
// Unknown fields are errors; an absent limit means "as the profile says".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

struct NetworkPolicy {
  bool enabled = false;
  std::vector<std::string> allow_domains;
  std::optional<bool> loopback;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("enabled", &NetworkPolicy::enabled,
              "whether any network exists inside; none by default"),
        field("allowDomains", &NetworkPolicy::allow_domains, "names that may be reached",
              {.max_length = 256}),
        field("loopback", &NetworkPolicy::loopback,
              "whether programs inside reach each other by 127.0.0.1 and ::1; as the profile says "
              "unless given"));
  }
};

enum class MountMode { kReadOnly, kReadWrite };

struct HostMount {
  std::string host_path;
  std::string sandbox_path;
  MountMode mode = MountMode::kReadOnly;
  static constexpr auto describe(auto&& visit) {
    return visit(field("hostPath", &HostMount::host_path, "absolute path on the node",
                       {.required = true, .max_length = 4096}),
                 field("sandboxPath", &HostMount::sandbox_path, "absolute path inside",
                       {.required = true, .max_length = 4096}),
                 field("mode", &HostMount::mode, "ro or rw"));
  }
  friend bool operator==(const HostMount&, const HostMount&) = default;
};

struct SandboxLimits {
  std::optional<wire::Duration> wall_time;
  std::optional<wire::Duration> cpu_time;
  std::optional<wire::Quantity> memory;
  std::optional<wire::Quantity> address_space;
  std::optional<int64_t> pids;
  std::optional<int64_t> open_files;
  std::optional<wire::Quantity> file_size;
  std::optional<wire::Quantity> fs_bytes;
  std::optional<int64_t> file_count;
  std::optional<wire::Quantity> stdout_bytes;
  std::optional<wire::Quantity> stderr_bytes;
  std::optional<wire::Quantity> command_bytes;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("wallTime", &SandboxLimits::wall_time, "real time until the whole tree is killed"),
        field("cpuTime", &SandboxLimits::cpu_time, "CPU time over all processes"),
        field("memory", &SandboxLimits::memory, "memory of all processes together"),
        field("addressSpace", &SandboxLimits::address_space,
              "address space of each process (RLIMIT_AS); replaced by memory where a device is "
              "granted"),
        field("pids", &SandboxLimits::pids, "processes and threads alive at once",
              {.min = 1, .max = 4'194'304}),
        field("openFiles", &SandboxLimits::open_files, "descriptors a process may hold",
              {.min = 3, .max = 1'048'576}),
        field("fileSize", &SandboxLimits::file_size, "size of one written file"),
        field("fsBytes", &SandboxLimits::fs_bytes,
              "bytes of private scratch space, and that the workspace may grow by"),
        field("fileCount", &SandboxLimits::file_count,
              "files in private scratch space, and that the workspace may grow by",
              {.min = 1, .max = 1'000'000'000}),
        field("stdout", &SandboxLimits::stdout_bytes, "standard output kept"),
        field("stderr", &SandboxLimits::stderr_bytes, "standard error kept"),
        field("commandBytes", &SandboxLimits::command_bytes,
              "length of the command and its arguments"));
  }
  // `over` wins where it is set.
  SandboxLimits overridden_by(const SandboxLimits& over) const;
};

struct SandboxPolicy {
  std::optional<NetworkPolicy> network;
  std::vector<HostMount> host_mounts;
  std::vector<std::string> tools;
  SandboxLimits limits;
  std::map<std::string, std::string> env;
  std::vector<std::string> devices;
  bool allow_partial = false;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("network", &SandboxPolicy::network, "network access; none when absent"),
        field("hostMounts", &SandboxPolicy::host_mounts, "host folders visible inside",
              {.omit_empty = true, .max_length = 64}),
        field("tools", &SandboxPolicy::tools,
              "the only programs that can be executed; empty means all of the system's",
              {.omit_empty = true, .max_length = 256}),
        field("limits", &SandboxPolicy::limits, "what may be used up"),
        field("env", &SandboxPolicy::env, "variables added to the minimal environment",
              {.omit_empty = true, .max_length = 64}),
        field("devices", &SandboxPolicy::devices, "device nodes that exist inside",
              {.omit_empty = true, .max_length = 64}),
        field("allowPartial", &SandboxPolicy::allow_partial,
              "run even if this host cannot enforce every limit; never covers network or files"));
  }
  // Rules across fields: clean mount paths that do not overlap, limits within reason, variables.
  void validate(wire::Check& check) const;
};

// `requested` on top of its profile's policy: what will be enforced. Requested limits and network
// win over the profile's (more memory than its addressSpace raises that too, less never lowers it);
// mounts, devices and variables are added to the profile's.
SandboxPolicy effective_policy(const SandboxPolicy& profile, const SandboxPolicy& requested);

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::MountMode> {
  static constexpr std::array values = {
      std::pair{contracts::MountMode::kReadOnly, std::string_view("ro")},
      std::pair{contracts::MountMode::kReadWrite, std::string_view("rw")}};
};

PADDOCK_EXTERN_CODEC(paddock::contracts::SandboxPolicy);
