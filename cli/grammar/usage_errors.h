// Says what is wrong with a command line: reason USAGE, with what would have been right. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/grammar/command_table.h"
#include "common/base/result.h"

namespace paddock::cli {

Error usage_error(std::string message);
// A word at the command's place that is no command: the nearest one, also by what other tools call
// it.
Error unknown_command(const std::string& word);
// A word such as `secret` that only begins commands, among all words of the line.
Error unfinished_command(const std::string& group, const std::vector<std::string>& words);
// Whether it ends with a program and its words, behind `--`.
bool runs_a_program(const CommandRow& row);
Error unknown_option(const std::string& word, const CommandRow& row);
// One that is none of those that may stand before the command.
Error option_before_command(const std::string& word);
Error too_many_words(const CommandRow& row, const std::vector<std::string>& extra);
// How folders come into a run, for who types `-v /x:/y`.
std::string mount_way();
Error missing_word(const CommandRow& row, const ArgumentRow& argument);
// An option without its value, with several, or a flag with one.
Error wrong_value_count(const CommandRow& row, const OptionRow& option);
Error not_understood(const CommandRow& row);

}  // namespace paddock::cli
