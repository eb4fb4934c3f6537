// The files of a session, for callers that may use it: beneath its workspace, no link followed,
// within its limits, as the user that its commands are. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/contracts/session_calls.h"

namespace paddock::files {

struct FileRules {
  std::string workspace;       // folder of the host
  std::optional<int64_t> uid;  // of the commands, when the agent is root
  std::optional<int64_t> most_bytes;
  std::optional<int64_t> most_files;
};

// A writer has the session's turn (write_turns.h), or others count the same room. FILE_NOT_FOUND,
// FILE_EXISTS, FILE_TOO_LARGE, FOLDER_TOO_LARGE, E_LIMIT_FS, E_LIMIT_FILES, and what os/file.h says
// of paths that are not clean.
Result<contracts::FileAnswer> do_with_file(const FileRules& rules,
                                           const contracts::FileOrder& order);

}  // namespace paddock::files
