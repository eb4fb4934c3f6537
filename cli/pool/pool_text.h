// Words the state of a pool for people. Pure.
#pragma once

#include <string>

#include "common/wire/value.h"

namespace paddock::cli {

// Words in it are Slurm's and the runs' owners': shown as plain text.
std::string pool_text(const wire::Value& state);

}  // namespace paddock::cli
