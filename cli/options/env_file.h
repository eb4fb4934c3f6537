// Variables as people give them on a command line and in files of variables. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::cli {

using Variables = std::map<std::string, std::string>;

// A file with a variable per line, as Docker's and Compose's are: `NAME=VALUE`, `export
// NAME=VALUE`, `NAME` alone (the caller's own value, and nothing if it has none), blank lines and
// `#` comments. A value may stand in quotes: single ones keep all, in double ones \n, \t, \" and
// \\ are read. Outside of quotes a ` #` begins a comment. INVALID_ENV_FILE, with the file, the line
// and the option that named it.
Result<Variables> parse_env_file(std::string_view text, const std::string& file,
                                 const Variables& own, std::string_view option);

// `NAME=VALUE`, or `NAME` alone as above. INVALID_OPTION.
Status add_variable(const std::string& text, const Variables& own, Variables& out);

}  // namespace paddock::cli
