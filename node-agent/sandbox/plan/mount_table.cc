#include "node-agent/sandbox/plan/mount_table.h"

#include <array>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/mount_places.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/egress/gateway.h"
#include "node-agent/sandbox/plan/etc_files.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

constexpr int64_t kDefaultScratchBytes = int64_t{64} << 20;
constexpr int64_t kDefaultScratchFiles = 10'000;
constexpr std::array kDevices = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                 "/dev/urandom"};

// The policy as the command may read it: without paths of the host, and with the processors that it
// was allotted.
std::string policy_file(const contracts::LaunchRequest& request) {
  contracts::SandboxPolicy policy = request.policy;
  for (contracts::HostMount& mount : policy.host_mounts) mount.host_path = "hidden";
  wire::Value document = wire::encode(policy);
  if (request.cpus) document.set("cpus", *request.cpus);
  return wire::to_pretty_json(document);
}

// No name can be added to a folder of the host: it is covered, and what it holds shown once more.
void add_locales(const HostFacts& host, std::vector<MountEntry>& table) {
  if (host.locales.empty()) return;
  const std::string folder = kLocales;
  table.push_back({Kind::kCover, folder.substr(0, folder.size() - 1), ""});
  for (const std::string& path : host.locales) table.push_back({Kind::kSystem, path, path});
  table.push_back({Kind::kSystem, cat(folder, kNamedLocale), cat(folder, kNeutralLocale)});
}

// The values that the system's own part of the table is made from, besides the host.
struct Names {
  bool network = false;
  std::string gateway;  // a name of the controller's
};

void add_system(const HostFacts& host, const Names& names, std::vector<MountEntry>& table) {
  const auto add = [&](const SystemEntry& entry) {
    if (entry.link.empty()) {
      table.push_back({Kind::kSystem, entry.path, entry.path});
    } else {
      table.push_back({Kind::kSymlink, entry.path, entry.link});
    }
  };
  for (const SystemEntry& entry : host.system) add(entry);
  for (const EtcFile& file : etc_files(names.network, names.gateway))
    table.push_back({Kind::kFile, file.path, file.content});
  for (const SystemEntry& entry : host.etc) add(entry);
  add_locales(host, table);
}

// /dev/tty is whatever terminal the opening process has: none, or one of the sandbox's own, since
// the command begins a session.
void add_devices(const HostFacts& host, std::vector<MountEntry>& table) {
  for (const char* device : kDevices) table.push_back({Kind::kDevice, device, device});
  if (host.tty_device) table.push_back({Kind::kDevice, kTtyDevice, kTtyDevice});
  table.push_back({Kind::kSymlink, "/dev/fd", "/proc/self/fd"});
  table.push_back({Kind::kSymlink, "/dev/stdin", "/proc/self/fd/0"});
  table.push_back({Kind::kSymlink, "/dev/stdout", "/proc/self/fd/1"});
  table.push_back({Kind::kSymlink, "/dev/stderr", "/proc/self/fd/2"});
  table.push_back({Kind::kTerminals, "/dev/pts", ""});
  table.push_back({Kind::kSymlink, "/dev/ptmx", "pts/ptmx"});
  table.push_back({Kind::kFolder, "/dev/shm", ""});  // the scratch space goes there
}

std::vector<MountEntry> system_mounts(const HostFacts& host, const Names& names,
                                      const contracts::SandboxLimits& limits) {
  std::vector<MountEntry> table;
  add_system(host, names, table);
  add_devices(host, table);
  table.push_back({Kind::kProc, "/proc", ""});
  table.push_back({Kind::kSymlink, "/etc/mtab", "../proc/mounts"});
  table.push_back({Kind::kSymlink, "/sys/devices/system/cpu", cat("/proc/", kProcessorsFolder)});
  table.push_back({Kind::kScratch, "/tmp", "", true,
                   limits.fs_bytes ? limits.fs_bytes->bytes : kDefaultScratchBytes,
                   limits.file_count.value_or(kDefaultScratchFiles)});
  table.push_back({Kind::kFolder, "/var", ""});
  table.push_back({Kind::kSymlink, "/var/tmp", "../tmp"});
  return table;
}

Names names_of(const contracts::LaunchRequest& request) {
  Names out{request.policy.network && request.policy.network->enabled, {}};
  if (!request.tool_gateway) return out;
  if (auto gateway = read_gateway(*request.tool_gateway)) out.gateway = std::move(gateway->name);
  return out;
}

// Empty: no mount of its own.
const char* file_system_of(const MountEntry& entry) {
  switch (entry.kind) {
    case Kind::kProc:
      return "proc";
    case Kind::kTerminals:
      return "devpts";
    case Kind::kScratch:
    case Kind::kCover:
      return "tmpfs";
    case Kind::kBind:
      return entry.lower.empty() ? "none" : "overlay";
    case Kind::kSystem:
    case Kind::kDevice:
      return "none";
    case Kind::kFolder:
    case Kind::kFile:
    case Kind::kSecret:
    case Kind::kSymlink:
    case Kind::kLoader:
      return "";
  }
  return "";
}

// As the kernel writes names that have what separates fields.
void add_name(std::string_view name, std::string& out) {
  for (const char c : name) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
      out += cat("\\", c >> 6, c >> 3 & 7, c & 7);
    } else {
      out += c;
    }
  }
}

// Appended to one string: every run is told.
void add_mount_line(std::string_view target, std::string_view type, const MountEntry& entry,
                    std::string& out) {
  out.append(type).append(" ");
  add_name(target, out);
  out.append(" ").append(type).append(entry.writable ? " rw" : " ro").append(",nosuid,nodev");
  out.append(entry.no_programs ? ",noexec 0 0\n" : " 0 0\n");
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kFolder:
      return "folder";
    case Kind::kFile:
      return "file";
    case Kind::kSecret:
      return "secret";
    case Kind::kSymlink:
      return "symlink";
    case Kind::kSystem:
      return "system";
    case Kind::kDevice:
      return "device";
    case Kind::kBind:
      return "bind";
    case Kind::kProc:
      return "proc";
    case Kind::kTerminals:
      return "terminals";
    case Kind::kScratch:
      return "scratch";
    case Kind::kCover:
      return "cover";
    case Kind::kLoader:
      return "loader";
  }
  return "";
}

}  // namespace

std::vector<MountEntry> render_mounts(const contracts::LaunchRequest& request,
                                      const HostFacts& host) {
  std::vector<MountEntry> table = system_mounts(host, names_of(request), request.policy.limits);
  table.push_back({Kind::kFile, std::string(contracts::kSandboxPolicyFile), policy_file(request)});
  if (request.tool_gateway && !request.tool_gateway->ca.empty()) {
    table.push_back(
        {Kind::kFile, std::string(contracts::kSandboxCaFile), request.tool_gateway->ca});
  }
  for (const contracts::LaunchSecret& secret : request.secrets) {
    if (secret.file.empty()) continue;
    table.push_back({Kind::kSecret, secret.file, decode_base64(secret.value).value_or("")});
  }
  for (const contracts::LaunchMount& mount : request.mounts) {
    table.push_back({Kind::kBind, mount.sandbox_path, mount.host_path,
                     mount.mode == contracts::MountMode::kReadWrite});
    table.back().lower = mount.lower_path;
    table.back().work = mount.work_path;
  }
  for (size_t i = 0; i < request.policy.host_mounts.size(); ++i) {
    const contracts::HostMount& mount = request.policy.host_mounts[i];
    table.push_back({Kind::kBind, mount.sandbox_path, mount.host_path,
                     mount.mode == contracts::MountMode::kReadWrite});
    table.back().field = cat("hostMounts[", i, "].hostPath");
  }
  return table;
}

std::vector<MountEntry> common_mounts(const HostFacts& host) { return system_mounts(host, {}, {}); }

std::string mounts_text(const std::vector<MountEntry>& table) {
  std::string out;
  out.reserve(table.size() * 64);
  add_mount_line("/", "tmpfs", {}, out);
  for (const MountEntry& entry : table) {
    const std::string_view type = file_system_of(entry);
    if (!type.empty()) add_mount_line(entry.target, type, entry, out);
    if (entry.kind == Kind::kScratch) add_mount_line("/dev/shm", type, entry, out);
  }
  return out;
}

std::string describe_mounts(const std::vector<MountEntry>& table) {
  std::string out;
  for (const MountEntry& entry : table) {
    out += cat(kind_name(entry.kind), " ", entry.target);
    if (entry.kind == Kind::kSymlink) out += cat(" -> ", entry.source);
    if (entry.kind == Kind::kBind || entry.kind == Kind::kLoader)
      out += cat(" from ", entry.source);
    if (!entry.lower.empty()) out += cat(" over ", entry.lower);
    if (entry.kind == Kind::kScratch)
      out += cat(" ", entry.bytes, " bytes ", entry.files, " files");
    out += cat(entry.writable ? " rw" : " ro", entry.no_programs ? " noexec\n" : "\n");
  }
  return out;
}

bool may_be_target(std::string_view sandbox_path) {
  return contracts::is_clean_absolute(sandbox_path) && !contracts::is_system_place(sandbox_path);
}

}  // namespace paddock::sandbox
