// Completion scripts for bash, zsh and fish, made from the command table. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::cli {

// UNKNOWN_SHELL names the known ones.
Result<std::string> completion_script(std::string_view shell);

}  // namespace paddock::cli
