// The limits of a run for people: before it starts, and when one of them struck. Pure.
#pragma once

#include <string>

#include "common/contracts/run.h"

namespace paddock::cli {

// `limits: 30m, 8Gi memory, 1024 processes, 4Gi disk, no network (--timeout, …)`.
std::string limits_line(const contracts::Run& run);
// A line per limit that ended the run or cut its output, with the option that raises it.
std::string limits_struck(const contracts::SandboxResult& result);

}  // namespace paddock::cli
