// The file that a name means to a thread of a command: in its root, from its folder, through what
// /proc shows it of its own processes. As everything of a NotifyingThread it may have changed a
// moment later.
#pragma once

#include <string_view>

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

struct FoundFile {
  os::Fd file;            // with O_PATH
  int error = 0;          // what the kernel would answer; without it there is a file
  bool too_long = false;  // the name is not followed to its end, which the kernel might do
};

// `folder`: where a relative name begins, as the *at calls take it.
FoundFile find_as(const NotifyingThread& caller, int folder, std::string_view name);

}  // namespace paddock::sandbox
