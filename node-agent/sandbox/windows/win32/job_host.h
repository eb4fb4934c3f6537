// The seam of win32.h, on Windows itself. One launch per object; its end ends the job.
#pragma once

#include <memory>

#include "node-agent/sandbox/windows/win32.h"

namespace paddock::sandbox {

std::unique_ptr<Win32> make_win32();

}  // namespace paddock::sandbox
