// Variables of the controller and the node agent: they are read at a program's start, and by nobody
// later.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

// The names with this prefix that are set here and were set otherwise, or not at all, at the start
// of a program with this environment (as /proc/PID/environ has it: NAME=value, each ended by NUL).
std::vector<std::string> unheard_variables(const std::map<std::string, std::string>& here,
                                           std::string_view prefix, std::string_view environment);

}  // namespace paddock::cli
