// Whose a file is that a command has open or names: what it does with a file that it only sees, the
// host and other runs would notice, or it would notice what they do.
#pragma once

#include "common/os/fd.h"

namespace paddock::sandbox {

// Whether everybody on the host can open the same file for writing.
bool is_everybodys(const os::Fd& file);
// Whether only processes that may write the file can meet there.
bool is_its_own(const os::Fd& file);

}  // namespace paddock::sandbox
