// Time that passed, as people read it: `29ms`, `8.1s`, `3m20s`, `2h5m`. What is read back is
// written by format_duration().
#pragma once

#include <string>

#include "common/base/units.h"

namespace paddock::cli {

std::string elapsed_text(Millis time);

}  // namespace paddock::cli
