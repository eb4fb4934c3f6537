// Operations on paths beneath a folder that programs in a sandbox may change at any time. They
// follow no link and wait for nothing; the caller decides what to do about an obstacle.
#pragma once

#include <string>
#include <string_view>

#include "common/contracts/session_calls.h"
#include "common/os/fd.h"

namespace paddock::files {

// Folders and files change while they are looked at: that is the session's doing, not our failure.
Error as_answer(Error error);
// The caller's error for a failed step; it does not show the path.
Error failed(std::string_view doing, int number);

// Empty: it is in the root itself.
std::string parent_of(const std::string& path);
Result<os::Fd> open_folder(int root, const std::string& path);
// FOLDER_TOO_LARGE.
Result<contracts::FileAnswer> list(os::Fd folder);

}  // namespace paddock::files
