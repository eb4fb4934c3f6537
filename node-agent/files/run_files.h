// Files of a run that runs: out in parts, in as a whole. Beneath its workspace, no link followed.
// Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "common/contracts/session_calls.h"

namespace paddock::files {

// A folder's names, or a part of a file. FILE_NOT_FOUND, FILE_CHANGED if it was written to
// meanwhile, and what os/file.h says of paths that are not clean.
Result<contracts::FileAnswer> read_part(int root, const contracts::FileOrder& order);

struct RunFileRules {
  int root = -1;                      // the workspace, as the run sees it
  std::optional<uid_t> user;          // of the host, that the run is; none: as we are
  std::optional<int64_t> bytes_left;  // what it may still write; none: it is not bounded
  std::optional<int64_t> files_left;
  // Where what it writes is counted, if that is another folder: the upper one of its layers. The
  // folders on the way to a file come to be there too.
  std::optional<int> measured;
  std::function<void(int64_t bytes, int64_t files)> wrote = {};  // is told what came there
};

// For who has the run's turn (write_turns.h), or others count the same room.
// The file is there under its name once it is whole, in place of a file or a link that was there.
// E_LIMIT_FS, E_LIMIT_FILES, FILE_NOT_ALLOWED, NOT_A_REGULAR_FILE if a folder is there.
Result<contracts::FileAnswer> put_whole(const RunFileRules& rules,
                                        const contracts::FileOrder& order);

}  // namespace paddock::files
