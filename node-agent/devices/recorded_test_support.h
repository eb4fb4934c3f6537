// For tests: hosts as they were recorded.
#pragma once

#include <cstdlib>
#include <string>

namespace paddock::devices {

// The root of the host `name`: its /proc and /sys.
inline std::string recorded(const std::string& name) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  return std::string(source == nullptr ? "." : source) + "/node-agent/devices/testdata/" + name;
}

}  // namespace paddock::devices
