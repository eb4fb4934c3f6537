// argv -> what was asked for. The only user of CLI11; its exceptions end here.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/grammar/command_table.h"
#include "common/base/result.h"

namespace paddock::cli {

struct HelpWanted {
  std::string text;
};
// USAGE with the offending word, and the nearest one that exists.
Result<std::variant<Parsed, HelpWanted>> parse_args(const std::vector<std::string>& args);

}  // namespace paddock::cli
