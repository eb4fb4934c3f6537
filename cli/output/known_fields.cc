#include "cli/output/known_fields.h"

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"

namespace paddock::cli {
namespace {

using wire::Value;

Value schema_of(Kind kind) {
  switch (kind) {
    case Kind::kRun:
      return wire::schema<contracts::Run>();
    case Kind::kWorkspace:
      return wire::schema<contracts::Workspace>();
    case Kind::kVolume:
      return wire::schema<contracts::Volume>();
    case Kind::kGrant:
      return wire::schema<contracts::Grant>();
    case Kind::kToolToken:
      return wire::schema<contracts::ToolToken>();
    case Kind::kSandbox:
      return wire::schema<contracts::Sandbox>();
    case Kind::kSecret:
      return wire::schema<contracts::Secret>();
    case Kind::kNode:
      return wire::schema<contracts::Node>();
  }
  return {};
}

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
  const Value schema = schema_of(kind);
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
