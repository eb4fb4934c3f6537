// NVIDIA's management library, loaded at run time: hosts without it have no need for it. Source of
// names, types and values: the NVML API reference.
#pragma once

#include <optional>

#include "node-agent/devices/driver_report.h"

namespace paddock::devices {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// Asks the driver through the library: a path, or a name that the loader finds. Takes as long as
// the driver does, which may be for ever: ask from a process of its own (driver_probe.h). Nothing:
// it is not on this host, or is another library.
std::optional<DriverReport> ask_nvml(const std::string& library);

}  // namespace paddock::devices
