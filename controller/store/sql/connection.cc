#include "controller/store/sql/connection.h"

namespace paddock::store::sql {

Statement& Statement::bind(std::optional<int64_t> value) {
  if (value) return bind(*value);
  cursor_->bind_null();
  return *this;
}

Status Statement::run() {
  while (true) {
    ASSIGN_OR_RETURN(const bool row, step());
    if (!row) return {};
  }
}

Result<int64_t> Statement::run_counted() {
  TRY(run());
  return cursor_->changed();
}

Result<std::optional<int64_t>> Statement::single_integer() {
  ASSIGN_OR_RETURN(const bool row, step());
  if (!row || is_null(0)) return std::optional<int64_t>();
  return std::optional<int64_t>(integer(0));
}

}  // namespace paddock::store::sql
