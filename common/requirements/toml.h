// TOML 1.0 as far as pyproject.toml and lock files use it: tables, arrays of tables, dotted and
// quoted keys, every kind of string, arrays, inline tables. Numbers, dates and times come as their
// text: nothing here needs more of them. Pure; the text is hostile.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::requirements {

// Parses a text of at most 4 MiB, 32 levels, 10,000 keys in a table and 500,000 values.
// InvalidArgument (REQUIREMENTS_INVALID) with the line.
Result<wire::Value> parse_toml(std::string_view text);

}  // namespace paddock::requirements
