// Which fields objects of a kind have, as far as this program knows. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/output/kinds.h"

namespace paddock::cli {

// Below `path`, or within what cannot be told apart (labels), all is well. Else InvalidArgument,
// FIELD_UNKNOWN: the first name that is none, and the nearest one beside it.
Status check_field(Kind kind, const std::vector<std::string>& path);

}  // namespace paddock::cli
