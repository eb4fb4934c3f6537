// Building one Python environment. For node-agent/runtimes only.
#pragma once

#include "common/requirements/requirements.h"
#include "node-agent/runtimes/build_step.h"

namespace paddock::runtimes {

// Makes a virtual environment in the build's output and installs wheels into it, from the
// operator's folder and index; no code of a package runs.
Status build_python(const Build& build, const requirements::Requirements& requirements);

}  // namespace paddock::runtimes
