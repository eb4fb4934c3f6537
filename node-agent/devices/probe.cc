#include "node-agent/devices/probe.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "common/base/text.h"
#include "node-agent/devices/host_size.h"
#include "node-agent/devices/nvidia.h"

namespace paddock::devices {
namespace {

int64_t free_disk_bytes(const std::string& folder) {
  struct statvfs info = {};
  if (::statvfs(folder.c_str(), &info) != 0) return 0;
  return static_cast<int64_t>(info.f_bavail) * static_cast<int64_t>(info.f_frsize);
}

std::string architecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64" || machine == "arm64") return "arm64";
  return std::string(machine);
}

}  // namespace

Host probe(const std::string& root, const std::string& data_dir) {
  Host host;
  host.capacity.cpu = cpu_count(root);
  host.capacity.memory.bytes = memory_bytes(root);
  host.capacity.disk.bytes = free_disk_bytes(data_dir);
  host.accelerators = nvidia_accelerators(root);
  struct utsname names = {};
  if (::uname(&names) == 0) {
    host.os = ascii_lower(names.sysname);
    host.arch = architecture(names.machine);
  }
  return host;
}

}  // namespace paddock::devices
