// Where a field stands in a text that parse_yaml() took, for messages to people. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace paddock::wire {

// The line, from 1, of the field at a path such as `limits.memory` or `hostMounts[0].mode`; of the
// nearest field around it where that is not there. Nothing if there is none of those either.
std::optional<int> line_of(std::string_view yaml, std::string_view path);

}  // namespace paddock::wire
