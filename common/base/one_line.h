// Text of others as it may stand at a terminal. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace paddock {

// One line of UTF-8 of at most so many bytes: each character that a terminal would act on
// (control_text.h, line breaks among them) becomes `instead`. What is too long is cut between two
// characters.
std::string one_line(std::string_view text, size_t most_bytes, char instead = '?');

}  // namespace paddock
