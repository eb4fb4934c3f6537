// The limits of a run for people: before it starts, and when one of them struck. Pure.
#pragma once

#include <string>

#include "common/contracts/run.h"

namespace paddock::cli {

// `limits: 30m, 8Gi memory, 1024 processes, 4Gi disk, no network (--timeout, …)`.
std::string limits_line(const contracts::Run& run);
// A line per limit that ended the run, cut its output or is complained of by it, with the option of
// `command` that raises it: --policy where it has none for that limit.
std::string limits_struck(const contracts::SandboxResult& result, const std::string& command);

}  // namespace paddock::cli
