// The store's SQL as PostgreSQL reads it.
#pragma once

#include <string>
#include <string_view>

namespace paddock::store::postgres {

struct Translated {
  std::string sql;
  size_t parameters = 0;
};
// `?` and `?3` become `$1`, `$3`; hints for SQLite's planner go. Nothing within quotes is touched.
// Pure.
Translated translate(std::string_view sql);

}  // namespace paddock::store::postgres
