// Conditions as `kubectl wait` reads them: one per type, its time kept while its status stays.
#pragma once

#include "common/contracts/run.h"

namespace paddock::runs {

void set_condition(contracts::RunStatus& status, contracts::Condition condition, WallTime now);

}  // namespace paddock::runs
