// Turns the errors of PostgreSQL and libpq into ours.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::store::postgres {

// By the five letters of SQLSTATE; what the server said is for the log alone.
Error sqlstate_error(std::string_view state, const std::string& said);
// A connection that could not be made, by what libpq says of it: it gives no SQLSTATE.
Error connect_error(const std::string& said);
// A connection that was lost: nothing of this change was kept.
Error lost_error(const std::string& said);

inline constexpr std::string_view kForeignKeyViolation = "23503";

}  // namespace paddock::store::postgres
