#include <functional>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"
#include "common/wire/json.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {
namespace {

using wire::Value;

Value group_version_kind(std::string_view kind) {
  return Value::Object{
      {"group", contracts::kGroup}, {"version", contracts::kVersion}, {"kind", kind}};
}

Value schema_of(std::string_view kind) {
  Value schema = kind == contracts::Run::kKind         ? wire::schema<contracts::Run>()
                 : kind == contracts::Workspace::kKind ? wire::schema<contracts::Workspace>()
                 : kind == contracts::Volume::kKind    ? wire::schema<contracts::Volume>()
                                                       : wire::schema<contracts::Node>();
  schema.set("x-kubernetes-group-version-kind", Value::Array{group_version_kind(kind)});
  // A client must not reject the parts of Kubernetes' metadata that we do not name.
  if (Value* properties = schema.find("properties"))
    properties->set("metadata", Value::Object{{"type", "object"}});
  return schema;
}

// The operation that kubectl looks for before it creates: with `fieldValidation` it leaves the
// validation of fields to the server.
Value create_operation(std::string_view kind) {
  const auto query = [](const char* name) {
    return Value::Object{{"name", name},
                         {"in", "query"},
                         {"schema", Value::Object{{"type", "string"}, {"uniqueItems", true}}}};
  };
  return Value::Object{
      {"parameters", Value::Array{query("fieldValidation")}},
      {"requestBody",
       Value::Object{
           {"content",
            Value::Object{{"application/merge-patch+json",
                           Value::Object{{"schema", Value::Object{{"type", "object"}}}}}}}}},
      {"responses", Value::Object{{"200", Value::Object{{"description", "OK"}}}}},
      {"x-kubernetes-action", "patch"},
      {"x-kubernetes-group-version-kind", group_version_kind(kind)}};
}

}  // namespace

Value openapi_document() {
  Value paths;
  Value schemas;
  for (const Resource& each : kResources) {
    const std::string place = each.namespaced ? "/namespaces/{namespace}/" : "/";
    paths.set(cat("/apis/", contracts::kApiVersion, place, each.plural, "/{name}"),
              Value::Object{{"patch", create_operation(each.kind)}});
    schemas.set(cat("dev.paddock.", contracts::kVersion, ".", each.kind), schema_of(each.kind));
  }
  return Value::Object{
      {"openapi", "3.0.0"},
      {"info", Value::Object{{"title", "paddock"}, {"version", contracts::kVersion}}},
      {"paths", std::move(paths)},
      {"components", Value::Object{{"schemas", std::move(schemas)}}}};
}

Value openapi_index() {
  const std::string path = cat("apis/", contracts::kApiVersion);
  const size_t hash = std::hash<std::string>()(wire::to_json(openapi_document()));
  const std::string url = cat("/openapi/v3/", path, "?hash=", hash);
  return Value::Object{{"paths", Value::Object{{path, Value::Object{{"serverRelativeURL", url}}}}}};
}

}  // namespace paddock::k8s
