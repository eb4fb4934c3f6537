// `paddock pytest PATHS…` as the `paddock sandbox run` that it is. Pure.
#pragma once

#include "cli/options/command_row.h"
#include "cli/terminal/env.h"

namespace paddock::cli {

// It keeps its own name: a test run is judged by its tests. An active virtual environment
// (VIRTUAL_ENV) is visible inside, read-only, and its Python is used.
Result<Parsed> pytest_as_sandbox_run(const Parsed& parsed, const Env& env);

}  // namespace paddock::cli
