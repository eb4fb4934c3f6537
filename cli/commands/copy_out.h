// Copies files out of a run for `paddock cp`: one file, or a folder with all below it.
#pragma once

#include <string>

#include "cli/client/watching.h"
#include "cli/options/run_path.h"
#include "cli/terminal/env.h"

namespace paddock::cli {

// Where the API shows a place in a run. USAGE: that is no name of a run.
Result<std::string> place_target(const Parsed& parsed, const RunPath& place);

// The file `from` to TO; into a folder that is there under its own name.
Result<int> copy_file_out(Watcher& watcher, const Parsed& parsed, const RunPath& from,
                          const Env& env);

// As `cp -r` does: into a folder that is there a folder comes under its own name.
// ARTIFACTS_NOT_WRITTEN names the files that could not be had; the others are there.
Result<int> copy_folder_out(Watcher& watcher, const Parsed& parsed, const RunPath& from,
                            const Env& env);

}  // namespace paddock::cli
