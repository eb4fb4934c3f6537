// Every command of the CLI as data: parsing, help and shell completion are made from these rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_row.h"

namespace paddock::cli {

const std::vector<CommandRow>& command_table();
// Options that every command takes: which controller, which instance.
const std::vector<OptionRow>& global_options();
const CommandRow* find_command(std::string_view path);
std::vector<std::string> command_names();  // first words, once each

}  // namespace paddock::cli
