// Installing npm packages for one environment. For node-agent/runtimes only.
#pragma once

#include "common/requirements/package_json.h"
#include "node-agent/runtimes/build_step.h"

namespace paddock::runtimes {

// Installs the packages into node_modules in the build's output, from the operator's registry; no
// script of a package runs.
Status build_node(const Build& build, const requirements::NodePackages& packages);

}  // namespace paddock::runtimes
