// A Table of the server's as rows for people. Pure.
#pragma once

#include "cli/output/object_table.h"

namespace paddock::cli {

// The columns that are always shown, and those of labels; a row for each of `rows`.
// UNEXPECTED_ANSWER for what is no table.
Result<Table> viewed_table(const wire::Value& page, const wire::Value& rows,
                           const TableOptions& options);

}  // namespace paddock::cli
