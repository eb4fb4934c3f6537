// Whether a line was written for a shell, of which there is none. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::mcp {

// The first word of the line that only a shell understands (`&&`, `>out.txt`, `cd`), unless it is
// quoted. Nothing: the line means the same without a shell.
std::optional<std::string> shell_word(std::string_view line);

}  // namespace paddock::mcp
