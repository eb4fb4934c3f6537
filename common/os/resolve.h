// How the kernel opens a name for us: the small platform part under file.h and remove_tree.
// Results are a descriptor, or invalid with errno set. For common/os only.
#pragma once

#include <string>

#include "common/os/fd.h"

namespace paddock::os {

// A child folder of `parent` for listing: no link, not on another mount (EXDEV).
Fd open_child_folder(int parent, const std::string& name);
// Gives the owner all rights on a child folder, without following a link.
bool grant_owner(int parent, const std::string& name);

}  // namespace paddock::os
