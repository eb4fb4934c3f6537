// The fields of objects of a kind, as far as this program knows. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/output/kinds.h"

namespace paddock::cli {

// Whether objects of this kind can have the field `path`. Anything goes below a field whose members
// have no fixed names, such as labels. InvalidArgument, FIELD_UNKNOWN: names the first unknown
// field, and the known one that is most like it.
Status check_field(Kind kind, const std::vector<std::string>& path);

}  // namespace paddock::cli
