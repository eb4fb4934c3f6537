// NVIDIA GPUs as their driver shows them below /proc: whole ones, or the slices of those that are
// partitioned (MIG). Source: the driver's README ("The /proc Filesystem Interface") and the MIG
// user guide ("Device Nodes and Capabilities").
#pragma once

#include <string>
#include <vector>

#include "node-agent/devices/accelerator.h"

namespace paddock::devices {

// `root` is "/" in production. By their UUID, or bus address before the driver has one. A GPU that
// the driver leaves out is not there.
std::vector<Accelerator> nvidia_accelerators(const std::string& root);

// The device nodes that every user of this driver's GPUs needs.
std::vector<std::string> nvidia_shared_nodes(const std::string& root);
// Where the driver's libraries are, if the loader does not find them by itself.
std::vector<std::string> nvidia_library_folders(const std::string& root);
// Whether there may be a driver to ask.
bool has_nvidia_driver(const std::string& root);

// Those of the GPUs, and of their slices, that `visible` names as CUDA_VISIBLE_DEVICES does: by
// commas, indexes in the order of the bus or UUIDs or how these begin. Empty: all. Pure.
std::vector<Accelerator> only_visible(std::vector<Accelerator> gpus, std::string_view visible);

}  // namespace paddock::devices
