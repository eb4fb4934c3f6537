// How arguments become the one command line that Windows programs get, so that they come out of
// CommandLineToArgvW and the C runtime as they went in. Pure; UTF-8 in and out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace paddock::sandbox {

std::string windows_command_line(const std::vector<std::string>& words);

// BATCH_FILE: cmd.exe, which runs batch files, reads arguments by rules of its own, and no quoting
// is safe for both.
Status check_windows_program(const std::string& name);

// The block that CreateProcess takes, as UTF-8: `NAME=value` and NUL for each, sorted as Windows
// sorts names, and a NUL. DUPLICATE_VARIABLE if two names differ in case only.
Result<std::string> windows_environment(const std::map<std::string, std::string>& env);

}  // namespace paddock::sandbox
