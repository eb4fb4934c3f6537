// What the kernel reads of a program before it starts it. Pure; any bytes may be given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::sandbox {

struct ProgramHead {
  bool script = false;
  std::string interpreter;  // as the file names it; empty: needs none, or cannot be read
};
// From the first bytes of a program: the interpreter of an ELF file or a `#!` line.
ProgramHead read_program_head(std::string_view bytes);

// A loader as the kernel can start it for a program that names it, and for nobody else. To Landlock
// and to mounts both are the same act, and who executes a loader by its name has it run any file.
// The copy names an interpreter itself, one that no kernel starts: it looks at that line of what is
// executed, and not of an interpreter. Nothing: these are not the bytes of a loader.
std::optional<std::string> interpreter_only(std::string loader);

}  // namespace paddock::sandbox
