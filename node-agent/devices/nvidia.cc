#include "node-agent/devices/nvidia.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "node-agent/devices/proc_text.h"

namespace paddock::devices {
namespace {

constexpr std::string_view kGpus = "proc/driver/nvidia/gpus";
constexpr std::string_view kCapabilities = "proc/driver/nvidia/capabilities";
// Where a driver's libraries lie that the loader finds by itself, and where else some hosts keep
// them: WSL, container platforms, driver containers, NixOS.
constexpr std::array kSearchedFolders = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                         "/usr/lib64", "/usr/lib"};
constexpr std::array kOtherFolders = {"/usr/lib/wsl/lib",
                                      "/usr/local/nvidia/lib64",
                                      "/opt/nvidia/lib64",
                                      "/home/kubernetes/bin/nvidia/lib64",
                                      "/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
                                      "/run/nvidia/driver/usr/lib/aarch64-linux-gnu",
                                      "/run/nvidia/driver/usr/lib64",
                                      "/run/opengl-driver/lib"};

bool has_driver_library(const std::string& root, std::string_view folder) {
  return os::exists(os::join_path(root, cat(folder.substr(1), "/libcuda.so.1")));
}

// The numbers N of the entries `<prefix>N` of a folder, in order.
std::vector<int64_t> numbered(const std::string& root, std::string_view folder,
                              std::string_view prefix) {
  std::vector<int64_t> out;
  for (const std::string& name : list_or_empty(root, folder)) {
    if (!name.starts_with(prefix)) continue;
    if (const auto number = parse_integer<int64_t>(name.substr(prefix.size()));
        number && *number >= 0)
      out.push_back(*number);
  }
  std::ranges::sort(out);
  return out;
}

// The node by which the driver lets a process use a slice; empty: the file does not say.
std::string capability_node(const std::string& root, std::string_view folder) {
  const std::string minor =
      value_of(read_or_empty(root, cat(folder, "/access")), "DeviceFileMinor");
  const auto number = parse_integer<int64_t>(minor);
  return number && *number >= 0 ? cat("/dev/nvidia-caps/nvidia-cap", *number) : std::string();
}

// A GPU that is partitioned is used by its slices only.
std::vector<Accelerator> slices_of(const std::string& root, const Accelerator& gpu, int64_t minor) {
  std::vector<Accelerator> out;
  const std::string mig = cat(kCapabilities, "/gpu", minor, "/mig");
  for (const int64_t instance : numbered(root, mig, "gi")) {
    const std::string folder = cat(mig, "/gi", instance);
    for (const int64_t compute : numbered(root, folder, "ci")) {
      Accelerator slice = gpu;
      slice.id = cat("MIG-", gpu.id, "/", instance, "/", compute);
      slice.model += " MIG";
      if (!slice.gpu.empty()) slice.env["CUDA_VISIBLE_DEVICES"] = slice.id;
      slice.nodes.push_back(capability_node(root, folder));
      slice.nodes.push_back(capability_node(root, cat(folder, "/ci", compute)));
      std::erase(slice.nodes, "");
      out.push_back(std::move(slice));
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> nvidia_library_folders(const std::string& root) {
  const auto has = [&](std::string_view folder) { return has_driver_library(root, folder); };
  if (std::ranges::any_of(kSearchedFolders, has)) return {};
  const auto* found = std::ranges::find_if(kOtherFolders, has);
  return found == kOtherFolders.end() ? std::vector<std::string>()
                                      : std::vector<std::string>{*found};
}

std::vector<std::string> nvidia_shared_nodes(const std::string& root) {
  std::vector<std::string> out = {"/dev/nvidiactl", "/dev/nvidia-uvm"};
  if (os::exists(os::join_path(root, "dev/nvidia-uvm-tools")))
    out.push_back("/dev/nvidia-uvm-tools");
  return out;
}

bool has_nvidia_driver(const std::string& root) {
  return os::exists(os::join_path(root, "proc/driver/nvidia")) ||
         os::exists(os::join_path(root, "dev/nvidiactl"));
}

std::vector<Accelerator> nvidia_accelerators(const std::string& root) {
  std::vector<Accelerator> out;
  const std::vector<std::string> libraries = nvidia_library_folders(root);
  for (const std::string& address : list_or_empty(root, kGpus)) {
    const std::string text = read_or_empty(root, cat(kGpus, "/", address, "/information"));
    const auto minor = parse_integer<int64_t>(value_of(text, "Device Minor"));
    if (!minor || *minor < 0 || value_of(text, "GPU Excluded") == "Yes") continue;
    const std::string uuid = value_of(text, "GPU UUID");
    const bool known = !uuid.empty() && uuid.find('?') == std::string::npos;
    Accelerator gpu{"nvidia",
                    known ? uuid : address,
                    value_of(text, "Model"),
                    {cat("/dev/nvidia", *minor)},
                    libraries};
    for (std::string& node : nvidia_shared_nodes(root)) gpu.nodes.push_back(std::move(node));
    if (known) {
      gpu.gpu = uuid;
      gpu.env["CUDA_VISIBLE_DEVICES"] = uuid;
    }
    std::vector<Accelerator> slices = slices_of(root, gpu, *minor);
    if (slices.empty()) slices.push_back(std::move(gpu));
    std::ranges::move(slices, std::back_inserter(out));
  }
  return out;
}

std::vector<Accelerator> only_visible(std::vector<Accelerator> gpus, std::string_view visible) {
  if (trim(visible).empty()) return gpus;
  std::vector<Accelerator> out;
  std::string card;  // slices of one follow each other
  int64_t index = -1;
  for (Accelerator& each : gpus) {
    const std::string& own = each.gpu.empty() ? each.id : each.gpu;
    if (index < 0 || own != card) ++index;
    card = own;
    const bool named = std::ranges::any_of(split(visible, ','), [&](const std::string& part) {
      const std::string_view name = trim(part);
      if (name.empty()) return false;
      const auto number = parse_integer<int64_t>(name);
      return number ? *number == index : each.id.starts_with(name) || card.starts_with(name);
    });
    if (named) out.push_back(std::move(each));
  }
  return out;
}

}  // namespace paddock::devices
