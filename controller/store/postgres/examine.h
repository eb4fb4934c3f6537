// A database as examine() finds it (store/examine.h).
#pragma once

#include "controller/store/examine.h"

namespace paddock::store::postgres {

Result<Examined> examine(const PostgresOptions& options, const Clock& clock);

}  // namespace paddock::store::postgres
