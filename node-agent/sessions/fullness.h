// Whether a session's files are within its limits. A command is ended soon after it went beyond
// them, but what it wrote until then stays; so the next one may find more than there may be.
#pragma once

#include <string>

#include "common/contracts/sandbox_policy.h"
#include "common/contracts/sandbox_result.h"
#include "common/os/folder_use.h"

namespace paddock::sessions {

enum class Fullness {
  kWithin,
  kOver,     // commands may take files away, and add none
  kFarOver,  // no command begins: each could leave a little more before it is ended. Or
             // nobody can tell: some folder is closed to us
};
inline constexpr int kFarOver = 2;  // times a limit
Fullness fullness(const os::FolderUse& use, const contracts::SandboxLimits& limits);

// The same of the folder `workspace`, with what is in folders that its commands closed (they are
// opened, if we own them), for which kFarOver is an error: E_LIMIT_FS, E_LIMIT_FILES, or
// TREE_TOO_DEEP where it cannot be counted.
Result<Fullness> fullness_of(const std::string& workspace, const contracts::SandboxLimits& limits);

// Whether the files were found within the limits at the end of that command.
bool ended_within(const contracts::SandboxResult& result);

}  // namespace paddock::sessions
