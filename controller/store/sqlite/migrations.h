// The schema and its history: an ordered list, applied from where a file stands.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "controller/store/sqlite/connection.h"

namespace paddock::store::sqlite {

inline constexpr int64_t kApplicationId = 0x5061646b;  // "Padk" in the header of our files
int64_t schema_version();                              // the newest that this program knows

// Brings the schema to `to`, all or nothing. An older one than the newest is for tests alone: as a
// program of that time left it.
Status migrate(Connection& db, int64_t to = schema_version());

}  // namespace paddock::store::sqlite
