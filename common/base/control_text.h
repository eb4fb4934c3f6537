// Characters that a terminal or an editor acts on instead of showing them: C0, DEL, C1, separators
// of lines, marks of direction. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace paddock {

// The bytes of the first character of UTF-8 text if it is one of them, else 0.
size_t control_length(std::string_view text);
bool has_control(std::string_view text);
// UTF-8 text with each of them as a programmer writes it: \n, \t, \x1b, \u202e.
std::string escape_controls(std::string_view text);

}  // namespace paddock
