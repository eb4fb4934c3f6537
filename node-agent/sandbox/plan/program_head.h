// Reads the part of a program that the kernel reads before it starts it. Pure; any bytes may be
// given.
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

// Makes a copy of a loader that the kernel starts only for a program that names it as its
// interpreter. A program that could execute a loader by its name could have it run any file, and
// neither Landlock nor a mount option tells these two cases apart. So the copy names an interpreter
// too, one that no kernel starts: the kernel reads that line of the file that is executed, and does
// not read it of an interpreter. Nothing if these are not the bytes of a loader.
std::optional<std::string> interpreter_only(std::string loader);

}  // namespace paddock::sandbox
