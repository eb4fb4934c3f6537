// Finds the instruction sets of this host's processor beyond the common ones. For
// node-agent/devices only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::devices {

// What Linux prints of its processors (/proc/cpuinfo): of the first one's flags those that programs
// are built for, by the kernel's names, sorted, each once. Pure; any text is taken.
std::vector<std::string> features_in(std::string_view cpuinfo);

// Empty: it cannot be told. `root` as in probe.h; macOS has no files that say it.
std::vector<std::string> cpu_features(const std::string& root);

}  // namespace paddock::devices
