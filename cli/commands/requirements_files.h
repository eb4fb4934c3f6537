// Which files of a workspace a run's requirements are read from: they are sent first, so that what
// the controller says of them is said before the rest is sent. Pure.
#pragma once

#include <string_view>

#include "common/contracts/tree.h"

namespace paddock::cli {

// By its path alone: the file that `requirements` names, a lock or project file beside it, and
// small texts that it may name in turn (`-r base.txt`). A file that is none of these is only sent
// later. Both clients have the same rule.
bool may_be_requirements(const contracts::TreeEntry& file, std::string_view requirements);

}  // namespace paddock::cli
