// The inner half of the canaries: the launcher's own program, run as the command of a sandbox. Each
// attempt is a process of its own and prints `name<TAB>answer`. All are bounded, so that a sandbox
// which holds nothing back lets no harm through.
#pragma once

#include <span>

namespace paddock::sandbox {

// The exit code. Outside of a sandbox nothing is tried. `words`: the group, then what it needs:
//   surface HOST_FILE PORT ABSTRACT_NAME NAMESPACES VARIABLES, with a file of the host as its input
//   survivors FILE | device | connect PORT | memory | cpu | wall
int try_canaries(std::span<char* const> words);

}  // namespace paddock::sandbox
