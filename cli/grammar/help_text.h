// `--help`, made from the command table. Pure.
#pragma once

#include <string>

#include "cli/grammar/command_table.h"

namespace paddock::cli {

std::string overview_help();
std::string command_help(const CommandRow& command);
std::string usage_line(const CommandRow& command);
// The commands below a word such as `sandbox`.
std::string group_help(const std::string& first_word);

}  // namespace paddock::cli
