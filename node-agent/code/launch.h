// A caller's Python source as something to launch. Code and data travel as data, in files of the
// command's own scratch space: never in a command line, never in another program's source. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::code {

// Beneath it everything of a code run lies; it sees no workspace.
inline constexpr std::string_view kFolder = "/tmp";

// The beginning of each program that runs callers' code; it defines run(code, data).
const std::string& program_head();

// The same for every code run.
std::vector<std::string> command();
// The files that the command finds when it starts: path to content.
std::map<std::string, std::string> files(const contracts::RunSpec& spec);

}  // namespace paddock::code
