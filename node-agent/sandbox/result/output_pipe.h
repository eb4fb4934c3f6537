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

// When all processes of the run are dead: reads what is in the pipe now, and closes it. What comes
// later is of others: a process outside may hold the pipe's other end, since a command can hand it
// over or leave its group, and so may a system call of a killed process.
void read_what_is_left(os::Fd& pipe, OutputStream& stream, MonoTime now);

}  // namespace paddock::sandbox
