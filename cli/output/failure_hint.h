// Advice about a run that failed in a way in which many first runs do. Pure.
#pragma once

#include <string>

#include "common/contracts/run.h"

namespace paddock::cli {

// `sent`: the files that the run was given. A line for people, without `hint:`; empty: nothing that
// is known here.
std::string failure_hint(const contracts::Run& run, const contracts::Tree& sent);

}  // namespace paddock::cli
