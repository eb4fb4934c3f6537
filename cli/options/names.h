// Names that we make up for objects: DNS labels from whatever people call their things. Pure.
#pragma once

#include <string>
#include <string_view>

namespace paddock::cli {

// Lower-case letters, digits and dashes, at most `max` characters; `fallback` when nothing is left.
std::string slug(std::string_view text, size_t max = 40, std::string_view fallback = "x");
// Always the same for the same folder, and another one for a folder of the same name elsewhere.
std::string workspace_name(const std::string& absolute_folder);
// `path` below `base` unless it is absolute; `.`, `..` and doubled slashes resolved as text.
std::string absolute_path(const std::string& base, const std::string& path);

}  // namespace paddock::cli
