#include "node-agent/sandbox/linux/host/request_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "node-agent/sandbox/egress/hosts_file.h"
#include "node-agent/sandbox/egress/resolv_conf.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/plan/program_head.h"

namespace paddock::sandbox {
namespace {

constexpr std::array kWhereToolsAre = {"/usr/local/bin", "/usr/bin",        "/bin",
                                       "/usr/sbin",      "/usr/local/sbin", "/sbin",
                                       "/usr/games",     "/opt/sandbox/bin"};
// Without /usr/libexec, because it also holds files that programs load at run time.
constexpr std::array kProgramFolders = {
    "/bin",       "/sbin",          "/usr/bin",        "/usr/sbin",
    "/usr/games", "/usr/local/bin", "/usr/local/sbin", "/usr/local/games"};
constexpr size_t kHeadBytes = size_t{64} << 10;

bool is_within(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::optional<std::string> real_path(const std::string& path) {
  char out[PATH_MAX];
  if (realpath(path.c_str(), out) == nullptr) return std::nullopt;
  return std::string(out);
}

// Finds a program as the command would see it: in the request's read-only mounts and in the system.
class ToolFinder {
 public:
  ToolFinder(const contracts::LaunchRequest& request, const HostFacts& host) : host_(host) {
    for (const contracts::LaunchMount& mount : request.mounts) {
      if (mount.mode != contracts::MountMode::kReadOnly) continue;
      if (auto real = real_path(mount.host_path))
        mounts_.push_back({mount.sandbox_path, std::move(*real)});
    }
  }

  ToolFact find(const std::string& name) const {
    ToolFact out{.name = name};
    if (name.starts_with('/')) {
      follow(name, out);
    } else if (name.find('/') == std::string::npos) {
      bool found = follow(cat(contracts::kSandboxVenv, "/bin/", name), out);
      for (size_t i = 0; i < kWhereToolsAre.size() && !found; ++i)
        found = follow(cat(kWhereToolsAre[i], "/", name), out);
    }
    if (!out.file.empty()) read_file(out);
    return out;
  }

 private:
  // Fills file and links; false if there is no such program.
  bool follow(std::string path, ToolFact& out) const {
    constexpr int kMostLinks = 16;
    const size_t links_before = out.links.size();
    for (int hops = 0; hops < kMostLinks; ++hops) {
      const size_t slash = path.rfind('/');
      const auto real_folder = real_path(on_host(path.substr(0, slash)));
      const std::string folder = real_folder ? inside(*real_folder) : std::string();
      if (folder.empty()) break;
      const std::string name = path.substr(slash);
      path = cat(folder, name);
      struct stat info {};
      if (lstat(cat(*real_folder, name).c_str(), &info) != 0) break;
      if (!S_ISLNK(info.st_mode)) {
        if (!S_ISREG(info.st_mode) || (info.st_mode & 0111) == 0) break;
        out.file = path;
        return true;
      }
      char text[PATH_MAX];
      const ssize_t n = readlink(cat(*real_folder, name).c_str(), text, sizeof text);
      if (n <= 0) break;
      std::string target(text, static_cast<size_t>(n));
      out.links.push_back({path, target});
      path = target.starts_with('/') ? target : cat(folder, "/", target);
    }
    out.links.resize(links_before);
    return false;
  }

  void read_file(ToolFact& tool) const {
    const os::Fd file(open(on_host(tool.file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat info {};
    if (file.valid() && fstat(file.get(), &info) == 0) tool.id = {info.st_dev, info.st_ino};
    std::string head(kHeadBytes, '\0');
    const ssize_t n = file.valid() ? read(file.get(), head.data(), head.size()) : -1;
    head.resize(n > 0 ? static_cast<size_t>(n) : 0);
    const ProgramHead parsed = read_program_head(head);
    tool.script = parsed.script;
    ToolFact interpreter;
    if (parsed.interpreter.starts_with('/') && follow(parsed.interpreter, interpreter))
      tool.interpreter = interpreter.file;
    tool.interpreter_on_host = on_host(tool.interpreter);
  }

  std::string on_host(const std::string& path) const {
    for (const auto& [sandbox, host] : mounts_) {
      if (is_within(path, sandbox)) return host + path.substr(sandbox.size());
    }
    return path;
  }

  // The path by which the command sees this one of the host; empty if it does not.
  std::string inside(const std::string& path) const {
    for (const auto& [sandbox, host] : mounts_) {
      if (is_within(path, host)) return sandbox + path.substr(host.size());
    }
    for (const auto* list : {&host_.system, &host_.etc}) {
      for (const SystemEntry& entry : *list) {
        if (entry.link.empty() && is_within(path, entry.path)) return path;
      }
    }
    return {};
  }

  struct Mount {
    std::string sandbox;
    std::string host;
  };
  const HostFacts& host_;
  std::vector<Mount> mounts_;
};

std::vector<std::string> find_program_folders() {
  std::vector<std::string> out;
  for (const char* folder : kProgramFolders) {
    struct stat info {};
    if (lstat(folder, &info) == 0 && S_ISDIR(info.st_mode)) out.emplace_back(folder);
  }
  return out;
}

DeviceFact find_device(const std::string& path) {
  DeviceFact out{.path = path};
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return out;
  out.kind = S_ISCHR(info.st_mode) ? DeviceFact::Kind::kCharacter : DeviceFact::Kind::kOther;
  out.major = major(info.st_rdev);
  out.minor = minor(info.st_rdev);
  out.mode = info.st_mode;
  out.uid = info.st_uid;
  out.gid = info.st_gid;
  out.ours = faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) == 0;
  return out;
}

HostMountFact find_host_mount(const std::string& path) {
  const os::Fd found(raw::openat2(AT_FDCWD, path.c_str(), O_PATH | O_CLOEXEC, RESOLVE_NO_SYMLINKS));
  if (!found.valid()) {
    if (errno == ELOOP) return HostMountFact::kLinked;
    if (errno == EACCES) return HostMountFact::kHidden;
    return errno == ENOENT || errno == ENOTDIR ? HostMountFact::kAbsent : HostMountFact::kThere;
  }
  struct stat info {};
  const bool plain =
      fstat(found.get(), &info) != 0 || S_ISDIR(info.st_mode) || S_ISREG(info.st_mode);
  return plain ? HostMountFact::kThere : HostMountFact::kOther;
}

std::vector<std::string> find_name_servers() {
  const auto text = os::read_file("/etc/resolv.conf", size_t{64} << 10);
  return text.ok() ? name_servers(*text) : std::vector<std::string>();
}

HostNames find_host_names() {
  const auto text = os::read_file("/etc/hosts", size_t{1} << 20);
  return text.ok() ? host_names(*text) : HostNames();
}

RequestFacts find_tools(const contracts::LaunchRequest& request, const HostFacts& host) {
  RequestFacts out;
  const ToolFinder finder(request, host);
  for (const std::string& name : request.policy.tools) out.tools.push_back(finder.find(name));
  out.program_folders = find_program_folders();
  return out;
}

// Whether the request names just the standing tools. With a read-only mount of its own it might
// mean other programs by the same names.
bool stands(const contracts::LaunchRequest& request, const HostFacts& host) {
  return !host.standing_tools.empty() && request.policy.tools == host.standing_tools &&
         std::ranges::none_of(request.mounts, [](const contracts::LaunchMount& mount) {
           return mount.mode == contracts::MountMode::kReadOnly;
         });
}

}  // namespace

void find_standing_tools(HostFacts& host) {
  contracts::LaunchRequest request;
  request.policy.tools = host.standing_tools;
  host.standing = std::make_shared<const RequestFacts>(find_tools(request, host));
}

std::shared_ptr<const RequestFacts> gather_request_facts(const contracts::LaunchRequest& request,
                                                         const HostFacts& host) {
  const bool network = request.policy.network && request.policy.network->enabled;
  const bool standing = stands(request, host);
  const bool folders = !request.policy.host_mounts.empty();
  if (standing && request.policy.devices.empty() && !network && !folders) return host.standing;
  RequestFacts out;
  if (standing) {
    out = *host.standing;
  } else if (!request.policy.tools.empty()) {
    out = find_tools(request, host);
  }
  for (const std::string& path : request.policy.devices) out.devices.push_back(find_device(path));
  for (const auto& mount : request.policy.host_mounts)
    out.host_mounts.push_back(find_host_mount(mount.host_path));
  if (network) {
    out.name_servers = find_name_servers();
    out.host_names = find_host_names();
  }
  return std::make_shared<const RequestFacts>(std::move(out));
}

}  // namespace paddock::sandbox
