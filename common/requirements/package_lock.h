// What a package-lock.json may say: which version of each package, from where in the tree. The file
// is hostile: npm gets one made of what is read here, without URLs, so that everything comes from
// the operator's registry and has to match the integrity that the lock names. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/requirements/package_json.h"

namespace paddock::requirements {

// The lock for `packages`, as npm gets it. Takes lockfileVersion 2 and 3; refuses, with the entry's
// name, links, workspaces, aliases and whatever is no package of a registry (git, files, archives
// elsewhere). InvalidArgument, reason REQUIREMENTS_INVALID.
Result<std::string> check_package_lock(std::string_view file, const NodePackages& packages);

}  // namespace paddock::requirements
