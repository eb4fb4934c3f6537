// A run's output on a terminal. Colours pass; sequences that could drive the terminal (title,
// clipboard, cursor, modes) do not. A progress bar may go back in its line, and what it goes back
// over is erased: nothing is shown that is partly one text and partly another. Marks of direction,
// which show text in another order than it is read, do not pass. Output that goes to a file or a
// pipe is never changed.
#pragma once

#include <string>
#include <string_view>

namespace paddock::cli {

// `text` without control characters but \n \t, and \r and \b that erase what follows in the line;
// without escape sequences but colours; marks that turn text around are U+FFFD.
std::string terminal_safe(std::string_view text);

}  // namespace paddock::cli
