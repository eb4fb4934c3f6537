// Paths as text. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock {

// Where `relative` leads from the folder of `file`, `.` and `..` resolved; both beneath one root.
// Nothing: out of the root, or to the root itself.
std::optional<std::string> path_beside(std::string_view file, std::string_view relative);

}  // namespace paddock
