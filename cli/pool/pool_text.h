// What a pool wrote of itself, as people read it. Pure.
#pragma once

#include <string>

#include "common/wire/value.h"

namespace paddock::cli {

// Words in it are Slurm's and the runs' owners': shown as plain text.
std::string pool_text(const wire::Value& state);

}  // namespace paddock::cli
