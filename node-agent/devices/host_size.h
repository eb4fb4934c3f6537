// How large this host is for this agent: what its kernel has, and no more than the agent's own
// share of it, which a container or a batch system sets. For node-agent/devices only.
#pragma once

#include <cstdint>
#include <string>

namespace paddock::devices {

// 0: it cannot be told. `root` as in probe.h; macOS has no files that say it.
int64_t cpu_count(const std::string& root);
int64_t memory_bytes(const std::string& root);
// Processes and threads that there can be at once.
int64_t most_processes(const std::string& root);

}  // namespace paddock::devices
