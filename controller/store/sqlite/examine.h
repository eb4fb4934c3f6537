// A store's file as examine() finds it (store/examine.h).
#pragma once

#include <string>

#include "controller/store/examine.h"

namespace paddock::store::sqlite {

// Its first bytes alone are read: opening a database may write beside it.
Result<Examined> examine(const std::string& path);

}  // namespace paddock::store::sqlite
