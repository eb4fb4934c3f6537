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

}  // namespace paddock::devices
