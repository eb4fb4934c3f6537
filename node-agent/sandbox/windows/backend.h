// One launch on Windows: a process in a Job Object, watched until the job is empty. Pure but for
// the seam, so that Linux runs its tests. One thread.
#pragma once

#include <functional>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "node-agent/sandbox/windows/win32.h"

namespace paddock::sandbox {

using EmitFrame = std::function<Status(contracts::FrameType, std::string_view payload)>;

// Emits `started`, `stdout` and `stderr` frames; the caller writes the result.
contracts::SandboxResult launch_in_job(const contracts::LaunchRequest& request,
                                       const EmitFrame& emit, const Clock& clock, Win32& windows,
                                       bool open_host);

}  // namespace paddock::sandbox
