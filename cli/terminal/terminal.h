// Text on a terminal: widths, safety, colour. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace paddock::cli {

// Where text goes, and what stands there.
struct Stream {
  std::function<void(std::string_view)> write;
  bool tty = false;
  bool colour = false;  // a terminal, and NO_COLOR is not set
  int width = 80;       // columns
};

enum class Paint { kPlain, kDim, kBold, kRed, kGreen, kYellow };
std::string paint(const Stream& stream, Paint how, std::string_view text);

// Columns that `text` takes: wide characters count two, combining ones none.
size_t display_width(std::string_view text);
std::string pad_right(std::string_view text, size_t width);
// At most `width` columns; a cut is shown by `…`.
std::string shorten(std::string_view text, size_t width);
// One line without control characters, so that no text from elsewhere can drive the terminal.
std::string printable(std::string_view text);
// Like printable(), but keeps line ends and tabs.
std::string printable_lines(std::string_view text);

}  // namespace paddock::cli
