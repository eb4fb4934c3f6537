// A store's file as examine() finds it (store/examine.h).
#pragma once

#include <string>

#include "controller/store/examine.h"

namespace paddock::store::sqlite {

// Its first page and the log beside it are read as bytes: opening a database may write there.
Result<Examined> examine(const std::string& path);

}  // namespace paddock::store::sqlite
