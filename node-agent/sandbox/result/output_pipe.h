// The launcher's end of a command's output pipe.
#pragma once

#include "common/os/fd.h"
#include "node-agent/sandbox/result/output.h"

namespace paddock::sandbox {

// Reads once, at most 64 KiB; the pipe is closed at its end. `over`: nobody writes to it any more
// who counts, so that an empty pipe is at its end too, whoever still holds it.
void read_output(os::Fd& pipe, OutputStream& stream, MonoTime now, bool over);

}  // namespace paddock::sandbox
