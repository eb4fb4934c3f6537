// The output of a program on a terminal, where both of its streams share the lines. Two pipes lose
// whose bytes came first: the end of a progress bar on stderr may come behind the next line on
// stdout, and is then put before it. Not thread-safe.
#pragma once

#include <string_view>

#include "cli/terminal/terminal.h"

namespace paddock::cli {

class TerminalLines {
 public:
  // `stream` is a terminal, and `text` safe for it. Streams outlive this.
  void put(const Stream& stream, std::string_view text);
  // The next output is not the program's, so it begins a new line.
  void end_open_line();

 private:
  const Stream* open_ = nullptr;   // whose line is open
  bool redrawn_ = false;           // and whether it went back in it, as a progress bar does
  const Stream* ended_ = nullptr;  // whose line was ended here: its own end is not shown again
};

}  // namespace paddock::cli
