// What options are called in other tools (docker, kubectl, Slurm), and here. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_row.h"

namespace paddock::cli {

// What to say of an option that other tools have: `; did you mean …`. Empty: this command has
// nothing of the kind.
std::string advice_on_option(std::string_view word, const CommandRow& row);
// The same of a word that is nearly one of them: `--nmae` of `up`.
std::string advice_on_nearly_an_option(std::string_view word, const CommandRow& row);
// The names of all such options, without dashes.
std::vector<std::string> other_options();

}  // namespace paddock::cli
