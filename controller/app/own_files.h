// The files of a data folder that a start replaces or has to read, as they are before it.
#pragma once

#include "common/base/result.h"
#include "controller/app/config.h"

namespace paddock::app {

// FailedPrecondition, STORE_NOT_OURS: a folder has the name of a file, or a token cannot be read.
// Nothing is changed.
Status check_own_files(const Config& config);

}  // namespace paddock::app
