// The agent's data folder: one agent has it at a time, and can begin on a full disk.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/os/lock_file.h"

namespace paddock::agent {

// Makes the folder if it is not there. DATA_DIR_IN_USE: another agent has it.
Result<os::LockFile> lock_data_folder(const std::string& data_dir);

}  // namespace paddock::agent
