// What sandbox-exec starts: it asks the kernel, from inside, whether the profile is in force, says
// so to the launcher, and only then becomes the command. `applied` rests on this, not on
// sandbox-exec's own word.
//
//   paddock-confine FD COMMAND ARGUMENTS…
//
// Lines on FD: `confined`; `open` if it is not, and nothing is run; `exec N` if the command could
// not be executed, with errno. The end of FD after `confined` means that the command runs.
#pragma once

#include <span>

namespace paddock::sandbox {

inline constexpr int kNotConfined = 70;  // exit codes
inline constexpr int kNotExecuted = 127;

// Returns only if the command does not run: the exit code. `arguments` without the program's name.
int confine(std::span<char* const> arguments, bool (*is_confined)());

}  // namespace paddock::sandbox
