// The launcher's end of a command's output pipe.
#pragma once

#include <cstddef>

#include "common/os/fd.h"
#include "node-agent/sandbox/result/output.h"

namespace paddock::sandbox {

// Reads once, at most 64 KiB, and closes the pipe at its end. Returns how many bytes came. `over`:
// all processes of the run are dead, so an empty pipe counts as ended, even if some other process
// still holds it open.
size_t read_output(os::Fd& pipe, OutputStream& stream, MonoTime now, bool over);

}  // namespace paddock::sandbox
