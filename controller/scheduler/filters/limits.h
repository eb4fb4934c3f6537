// Which of a policy's limits a canary's capability is about.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "common/contracts/sandbox_policy.h"

namespace paddock::scheduler {

struct Limit {
  std::string_view capability;
  bool (*asked)(const contracts::SandboxLimits& limits);
};

inline constexpr std::array kLimits = {
    Limit{"memory", [](const contracts::SandboxLimits& l) { return l.memory.has_value(); }},
    Limit{"pids", [](const contracts::SandboxLimits& l) { return l.pids.has_value(); }},
    Limit{"cpuTime", [](const contracts::SandboxLimits& l) { return l.cpu_time.has_value(); }},
    Limit{"wallTime", [](const contracts::SandboxLimits& l) { return l.wall_time.has_value(); }},
    Limit{"openFiles", [](const contracts::SandboxLimits& l) { return l.open_files.has_value(); }},
    Limit{"fileSize", [](const contracts::SandboxLimits& l) { return l.file_size.has_value(); }},
    Limit{"fsBytes", [](const contracts::SandboxLimits& l) { return l.fs_bytes.has_value(); }},
    Limit{"fileCount", [](const contracts::SandboxLimits& l) { return l.file_count.has_value(); }},
    Limit{"output", [](const contracts::SandboxLimits&) { return true; }},
};

inline bool asks_for(const contracts::SandboxLimits& limits, std::string_view capability) {
  return std::ranges::any_of(kLimits, [&](const Limit& limit) {
    return limit.capability == capability && limit.asked(limits);
  });
}

}  // namespace paddock::scheduler
