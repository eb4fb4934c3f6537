// The pattern language of .gitignore files: `*`, `?`, `[a-z]`, `**`, backslash. Pure; the time is
// bounded by the product of both lengths, whatever the pattern.
#pragma once

#include <string_view>

namespace paddock::cas {

// Whether `text`, a path whose parts are separated by '/', matches the whole of `pattern`.
// `*`, `?` and `[…]` do not match '/'; `**` between slashes or at an end does.
bool wildmatch(std::string_view pattern, std::string_view text);

}  // namespace paddock::cas
