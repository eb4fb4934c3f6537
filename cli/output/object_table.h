// Objects as rows for people: the columns of each kind. Pure.
#pragma once

#include <vector>

#include "cli/output/kinds.h"
#include "cli/terminal/table.h"
#include "common/base/time.h"
#include "common/wire/value.h"

namespace paddock::cli {

struct TableOptions {
  bool wide = false;
  bool all_namespaces = false;
  std::vector<std::string> labels = {};  // as columns
};
// Objects as the API gives them. Missing fields are shown as `-`.
Table object_table(Kind kind, const std::vector<wire::Value>& objects, const TableOptions& options,
                   WallTime now);

}  // namespace paddock::cli
