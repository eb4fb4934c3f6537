#include "node-agent/devices/probe.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "common/base/text.h"
#include "node-agent/devices/cpu_features.h"
#include "node-agent/devices/host_size.h"
#include "node-agent/devices/nvidia.h"

namespace paddock::devices {
namespace {

std::string architecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64" || machine == "arm64") return "arm64";
  return std::string(machine);
}

}  // namespace

std::optional<DiskRoom> disk_room(const std::string& folder) {
  struct statvfs info = {};
  if (::statvfs(folder.c_str(), &info) != 0) return std::nullopt;
  DiskRoom room;
  room.bytes = static_cast<int64_t>(info.f_bavail) * static_cast<int64_t>(info.f_frsize);
  room.all_bytes = static_cast<int64_t>(info.f_blocks) * static_cast<int64_t>(info.f_frsize);
  // Some file systems (CephFS) report the files that exist, and not those that can still be made.
  if (info.f_files > 0 && info.f_favail <= info.f_files) {
    room.files = static_cast<int64_t>(info.f_favail);
    room.all_files = static_cast<int64_t>(info.f_files);
  }
  return room;
}

contracts::HostSize host_size(const std::string& root, const std::string& data_dir) {
  const DiskRoom disk = disk_room(data_dir).value_or(DiskRoom{});
  return {memory_bytes(root), most_processes(root), disk.all_bytes, disk.all_files};
}

Host probe(const std::string& root, const std::string& data_dir) {
  Host host;
  host.capacity.cpu = cpu_count(root);
  host.capacity.memory.bytes = memory_bytes(root);
  host.capacity.disk.bytes = disk_room(data_dir).value_or(DiskRoom{}).bytes;
  host.cpu_features = cpu_features(root);
  host.accelerators = nvidia_accelerators(root);
  struct utsname names = {};
  if (::uname(&names) == 0) {
    host.os = ascii_lower(names.sysname);
    host.arch = architecture(names.machine);
  }
  return host;
}

}  // namespace paddock::devices
