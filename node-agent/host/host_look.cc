#include "node-agent/host/host_look.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/launch.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "common/wire/json.h"
#include "node-agent/devices/nvidia.h"
#include "node-agent/devices/nvml.h"

namespace paddock::agent {
namespace {

constexpr const char* kRoot = "/";

bool is_there(const std::string& node) {
  return node == contracts::kAppleGpu || os::exists(node);  // Apple's GPU has no node
}

void note_missing_node(devices::Accelerator& each) {
  if (!each.fault.empty()) return;
  const auto missing = std::ranges::find_if_not(each.nodes, is_there);
  if (missing == each.nodes.end()) return;
  each.fault = cat(*missing, " does not exist");
  if (*missing == "/dev/nvidia-uvm") each.fault += ": `nvidia-modprobe -u` makes it";
}

}  // namespace

HostLook::HostLook(const HostSettings& settings)
    : settings_(settings),
      driver_({os::this_program(), "--gpus"}),
      seen_(os::join_path(settings.data_dir, "devices")) {}

devices::Host HostLook::look() {
  devices::Host host = devices::probe(kRoot, settings_.data_dir);
  host.capacity.cpu = at_most(host.capacity.cpu, settings_.max_cpu);
  host.capacity.memory.bytes = at_most(host.capacity.memory.bytes, settings_.max_memory);
  host.capacity.max_runs = runs_at_once(settings_.max_runs, host.capacity.cpu);
  if (devices::has_nvidia_driver(kRoot)) {
    if (const auto report = driver_.ask()) {
      host.loads = devices::loads_of(*report);
      host.accelerators = devices::judged(std::move(host.accelerators), *report,
                                          devices::nvidia_shared_nodes(kRoot),
                                          devices::nvidia_library_folders(kRoot));
    }
  }
  host.accelerators = devices::only_visible(std::move(host.accelerators), settings_.visible_gpus);
  if (os::exists(devices::kSystemProfiler)) {
    std::ranges::copy(apple_.ask(), std::back_inserter(host.accelerators));
  }
  host.accelerators = seen_.with_gone(std::move(host.accelerators), settings_.declared);
  for (devices::Accelerator& each : host.accelerators) note_missing_node(each);
  return host;
}

std::string gpus_as_json() {
  std::string library = devices::kNvmlLibrary;
  const std::vector<std::string> folders = devices::nvidia_library_folders(kRoot);
  if (!folders.empty()) library = os::join_path(folders.front(), library);
  const std::optional<devices::DriverReport> report = devices::ask_nvml(library);
  return report ? wire::encode_json(*report) + "\n" : std::string();
}

}  // namespace paddock::agent
