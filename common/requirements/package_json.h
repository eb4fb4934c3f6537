// What a package.json may ask for. The file is hostile: only packages by name and version range
// pass, and npm gets a file made from these, never the one that was uploaded. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::requirements {

struct NodePackages {
  int count = 0;     // zero: the file names nothing
  std::string text;  // the package.json as npm gets it: name, version, private, dependencies
  std::string lock;  // package-lock.json likewise, where there is one; see package_lock.h
};

// Takes dependencies, devDependencies and optionalDependencies. Refuses, with the field's name,
// every version that is no range or tag of the registry: git, GitHub, http, file, link, workspace
// and alias specifiers, paths and archives; and `workspaces`, `overrides` and peerDependencies,
// which say more than names. Ignores everything else: scripts are never run.
// InvalidArgument, reason REQUIREMENTS_INVALID.
Result<NodePackages> check_package_json(std::string_view file);

}  // namespace paddock::requirements
