// The kinds of resources the CLI shows: their names and the columns of their tables. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/core/table.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/wire/value.h"

namespace paddock::cli {

enum class Kind { kRun, kWorkspace, kVolume, kGrant, kToolToken, kSandbox, kNode };

struct KindInfo {
  Kind kind;
  std::string_view singular;
  std::string_view plural;
  std::string_view short_name;
  bool namespaced;
};
const KindInfo& info(Kind kind);
// By singular, plural or short name, upper or lower case. UNKNOWN_KIND names the known ones.
Result<Kind> parse_kind(std::string_view word);

struct TableOptions {
  bool wide = false;
  bool all_namespaces = false;
};
// Objects as the API gives them. Missing fields are shown as `-`.
Table object_table(Kind kind, const std::vector<wire::Value>& objects, const TableOptions& options,
                   WallTime now);

}  // namespace paddock::cli
