#include <functional>

#include "common/base/text.h"
#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"
#include "common/wire/json.h"
#include "controller/k8s/api_types.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {
namespace {

using wire::Value;

Value group_version_kind(std::string_view kind) {
  return Value::Object{
      {"group", contracts::kGroup}, {"version", contracts::kVersion}, {"kind", kind}};
}

Value schema_of(const Resource& resource) {
  const std::string_view kind = resource.kind;
  Value schema = kind == contracts::Run::kKind         ? wire::schema<contracts::Run>()
                 : kind == contracts::Workspace::kKind ? wire::schema<contracts::Workspace>()
                 : kind == contracts::Volume::kKind    ? wire::schema<contracts::Volume>()
                 : kind == contracts::Grant::kKind     ? wire::schema<contracts::Grant>()
                 : kind == contracts::Sandbox::kKind   ? wire::schema<contracts::Sandbox>()
                 : kind == contracts::Secret::kKind    ? wire::schema<contracts::Secret>()
                 : kind == contracts::ToolToken::kKind ? wire::schema<contracts::ToolToken>()
                                                       : wire::schema<contracts::Node>();
  schema.set("description", resource.description);
  schema.set("x-kubernetes-group-version-kind", Value::Array{group_version_kind(kind)});
  return schema;
}

Value query_parameter(const char* name) {
  return Value::Object{{"name", name},
                       {"in", "query"},
                       {"schema", Value::Object{{"type", "string"}, {"uniqueItems", true}}}};
}

// The operation that kubectl looks for before it changes anything: with `fieldValidation` it leaves
// the validation of fields to the server, with `dryRun` it knows that there are dry runs. A
// strategic merge patch is not named: kubectl would send one.
Value patch_operation(std::string_view kind) {
  const Value any = Value::Object{{"schema", Value::Object{{"type", "object"}}}};
  const Value content = Value::Object{{"application/json-patch+json", any},
                                      {"application/merge-patch+json", any},
                                      {"application/apply-patch+yaml", any}};
  return Value::Object{
      {"parameters", Value::Array{query_parameter("dryRun"), query_parameter("fieldManager"),
                                  query_parameter("fieldValidation"), query_parameter("force")}},
      {"requestBody", Value::Object{{"content", content}}},
      {"responses", Value::Object{{"200", Value::Object{{"description", "OK"}}}}},
      {"x-kubernetes-action", "patch"},
      {"x-kubernetes-group-version-kind", group_version_kind(kind)}};
}

Value make_document() {
  Value paths;
  Value schemas;
  for (const Resource& each : kResources) {
    const std::string place = each.namespaced ? "/namespaces/{namespace}/" : "/";
    paths.set(cat("/apis/", contracts::kApiVersion, place, each.plural, "/{name}"),
              Value::Object{{"patch", patch_operation(each.kind)}});
    schemas.set(cat("dev.paddock.", contracts::kVersion, ".", each.kind), schema_of(each));
  }
  // The kinds above are written out, as kubectl wants them; what generators of clients read is
  // beside them.
  for (const auto& [name, schema] : *api_types().object()) schemas.set(name, schema);
  return Value::Object{
      {"openapi", "3.0.0"},
      {"info", Value::Object{{"title", "paddock"}, {"version", contracts::kVersion}}},
      {"paths", std::move(paths)},
      {"components", Value::Object{{"schemas", std::move(schemas)}}}};
}

}  // namespace

const Value& openapi_document() {
  static const Value kDocument = make_document();
  return kDocument;
}

Value openapi_index() {
  const std::string path = cat("apis/", contracts::kApiVersion);
  static const size_t hash = std::hash<std::string>()(wire::to_json(openapi_document()));
  const std::string url = cat("/openapi/v3/", path, "?hash=", hash);
  return Value::Object{{"paths", Value::Object{{path, Value::Object{{"serverRelativeURL", url}}}}}};
}

}  // namespace paddock::k8s
