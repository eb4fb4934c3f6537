// The seed of this host's Python: a virtual environment that holds pip and nothing else. Making one
// takes seconds, copying it a fraction of one, so that it is made once and each environment begins
// as its copy. For node-agent/runtimes only.
#pragma once

#include "node-agent/runtimes/build_step.h"

namespace paddock::runtimes {

// Puts it into the build's output. It is kept like every other environment, and no file of a tenant
// is there when it is made. Call before the build has its input. Errors: as find_or_make().
Status copy_python_seed(const Build& build);

}  // namespace paddock::runtimes
