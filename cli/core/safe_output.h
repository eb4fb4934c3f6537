// A run's output on a terminal. Colours pass; sequences that could drive the terminal (title,
// clipboard, cursor, modes) do not. Output that goes to a file or a pipe is never changed.
#pragma once

#include <string>
#include <string_view>

namespace paddock::cli {

// `text` without control characters but \n \r \t \b and without escape sequences but colours.
std::string terminal_safe(std::string_view text);

}  // namespace paddock::cli
