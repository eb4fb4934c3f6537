// How the kernel opens a name for us: the small platform part under file.h and remove_tree.
// Descriptors are invalid with errno set where nothing else is said. For common/os only.
#pragma once

#include <fcntl.h>

#include <string>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::os {

// To look at a file, or go on from a folder, without reading it.
#ifdef O_PATH
inline constexpr int kLookOnly = O_PATH;
#else
inline constexpr int kLookOnly = O_RDONLY;
#endif

// A child folder of `parent` for listing: no link, not on another mount (EXDEV).
Fd open_child_folder(int parent, const std::string& name);
// Gives the owner all rights on a child folder, without following a link.
bool grant_owner(int parent, const std::string& name);

// Why a path was not opened, as file.h promises it.
Error path_refusal(const std::string& relative, int errno_value);
Error not_regular(const std::string& relative);

}  // namespace paddock::os
