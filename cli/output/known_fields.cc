#include "cli/output/known_fields.h"

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/contracts/kinds.h"

namespace paddock::cli {
namespace {

using wire::Value;

Error unknown_field(Kind kind, const std::vector<std::string>& path, size_t wrong,
                    const Value::Object& beside) {
  std::vector<std::string> names;
  for (const auto& [name, schema] : beside) names.push_back(name);
  const std::string above = join({path.begin(), path.begin() + static_cast<ptrdiff_t>(wrong)}, ".");
  const std::string near = nearest(path[wrong], names);
  return invalid_argument(
      "FIELD_UNKNOWN",
      cat(info(kind).plural, " have no field `", join(path, "."),
          "`: ", above.empty() ? "there" : cat("in `", above, "` there"), " is no `", path[wrong],
          "`", near.empty() ? "; " : cat("; did you mean `", near, "`? "), "`paddock explain ",
          info(kind).singular, above.empty() ? "" : ".", above, "` lists them"));
}

}  // namespace

Status check_field(Kind kind, const std::vector<std::string>& path) {
  const Value schema = contracts::kind_schema(info(kind).object_kind);
  const Value* at = &schema;
  for (size_t i = 0; i < path.size(); ++i) {
    const Value* properties = at->find("properties");
    if (properties == nullptr || properties->object() == nullptr) return {};
    const Value* next = properties->find(path[i]);
    if (next == nullptr) return unknown_field(kind, path, i, *properties->object());
    at = next;
  }
  return {};
}

}  // namespace paddock::cli
