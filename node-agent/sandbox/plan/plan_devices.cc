#include <algorithm>
#include <array>

#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {
namespace {

struct Node {
  unsigned major;
  unsigned minor;
};
constexpr unsigned kEveryMinor = ~0u;
// A program that can open one of these owns the host, whatever else is enforced.
constexpr std::array kNeverGiven = {
    Node{1, 1},            // mem
    Node{1, 2},            // kmem
    Node{1, 4},            // port
    Node{1, 11},           // kmsg
    Node{21, kEveryMinor}  // raw access to disks (sg)
};

bool is_device_path(std::string_view path) {
  if (!path.starts_with("/dev/") || path.starts_with("/dev/shm/")) return false;
  for (const std::string& part : split(path.substr(1), '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool may_open(const DeviceFact& device, const SandboxPlan& plan) {
  if (!plan.privileged) return device.ours;
  if (device.uid == plan.host_uid) return (device.mode & 0600) == 0600;
  if (device.gid == plan.host_gid) return (device.mode & 0060) == 0060;
  return (device.mode & 0006) == 0006;
}

// Empty if the command can be given it.
std::string fault_of(const DeviceFact& device, const SandboxPlan& plan) {
  if (device.path == contracts::kAppleGpu)
    return "is Apple's GPU, which macOS hosts alone can pass";
  if (!is_device_path(device.path)) return "is not the path of a node below /dev";
  if (device.kind == DeviceFact::Kind::kAbsent) return "does not exist on this node";
  if (device.kind == DeviceFact::Kind::kOther)
    return "is not a character device; disks, folders, files and links are never given";
  const bool never = std::ranges::any_of(kNeverGiven, [&](const Node& node) {
    return node.major == device.major && (node.minor == kEveryMinor || node.minor == device.minor);
  });
  if (never) return "is never given: it reaches the host's memory, log or disks";
  if (!may_open(device, plan)) {
    return "cannot be opened by every user of the host: let it, for example by a udev rule with "
           "MODE=\"0666\"";
  }
  return {};
}

}  // namespace

Status plan_devices(const contracts::LaunchRequest& request, const HostFacts& host,
                    SandboxPlan& plan) {
  if (request.policy.devices.empty()) return {};
  for (size_t i = 0; i < request.policy.devices.size(); ++i) {
    const bool known = i < host.named->devices.size();
    const DeviceFact device =
        known ? host.named->devices[i] : DeviceFact{.path = request.policy.devices[i]};
    if (const std::string fault = fault_of(device, plan); !fault.empty())
      return refuse("DEVICE_UNAVAILABLE", cat("devices[", i, "]: ", device.path, " ", fault));
    const bool shown = std::ranges::any_of(
        plan.mounts, [&](const MountEntry& entry) { return entry.target == device.path; });
    if (!shown) plan.mounts.push_back({MountEntry::Kind::kDevice, device.path, device.path});
  }
  plan.enforced["devices"] =
      by_kernel(wire::encode(request.policy.devices), "the nodes alone, nodev everywhere else",
                "what the driver lets its users do is not narrowed further");
  return {};
}

}  // namespace paddock::sandbox
