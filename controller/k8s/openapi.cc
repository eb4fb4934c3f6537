#include <algorithm>
#include <array>
#include <functional>

#include "common/base/text.h"
#include "common/contracts/kinds.h"
#include "common/wire/json.h"
#include "controller/agent_sandboxes/fields.h"
#include "controller/k8s/api_types.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {
namespace {

using wire::Value;

Value group_version_kind(const Resource& resource) {
  return Value::Object{
      {"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}};
}

agent_sandboxes::Kind agent_kind(const Resource& resource) {
  using agent_sandboxes::Kind;
  if (resource.kind == contracts::SandboxTemplate::kKind) return Kind::kTemplate;
  if (resource.kind == contracts::SandboxWarmPool::kKind) return Kind::kWarmPool;
  return resource.kind == contracts::SandboxClaim::kKind ? Kind::kClaim : Kind::kSandbox;
}

// The schema of a kind whose spec is kept as it was written.
Value agent_schema(const Resource& resource) {
  const Value text = Value::Object{{"type", "string"}};
  const Value any =
      Value::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  return Value::Object{
      {"type", "object"},
      {"required", Value::Array{"metadata", "spec"}},
      {"properties", Value::Object{{"apiVersion", text},
                                   {"kind", text},
                                   {"metadata", wire::schema<contracts::ObjectMeta>()},
                                   {"spec", agent_sandboxes::spec_schema(agent_kind(resource))},
                                   {"status", any}}}};
}

bool is_own(const Resource& resource) { return resource.group == contracts::kGroup; }

Value schema_of(const Resource& resource) {
  Value schema = is_own(resource) ? contracts::kind_schema(resource.kind) : agent_schema(resource);
  schema.set("description", resource.description);
  schema.set("x-kubernetes-group-version-kind", Value::Array{group_version_kind(resource)});
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
Value patch_operation(const Resource& resource) {
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
      {"x-kubernetes-group-version-kind", group_version_kind(resource)}};
}

// `dev.paddock` of `paddock.dev`.
std::string reversed(std::string_view group) {
  std::vector<std::string> parts = split(group, '.');
  std::ranges::reverse(parts);
  return join(parts, ".");
}

std::string path_of(const Resource& resource) {
  return cat("apis/", resource.group, "/", resource.version);
}

Value make_document(std::span<const Resource> resources) {
  Value paths;
  Value schemas;
  for (const Resource& each : resources) {
    const std::string place = each.namespaced ? "/namespaces/{namespace}/" : "/";
    paths.set(cat("/", path_of(each), place, each.plural, "/{name}"),
              Value::Object{{"patch", patch_operation(each)}});
    schemas.set(cat(reversed(each.group), ".", each.version, ".", each.kind), schema_of(each));
  }
  const Resource& first = resources.front();
  // The kinds above are written out, as kubectl wants them; what generators of clients read is
  // beside them.
  if (is_own(first)) {
    for (const auto& [name, schema] : *api_types().object()) schemas.set(name, schema);
  }
  return Value::Object{{"openapi", "3.0.0"},
                       {"info", Value::Object{{"title", "paddock"}, {"version", first.version}}},
                       {"paths", std::move(paths)},
                       {"components", Value::Object{{"schemas", std::move(schemas)}}}};
}

}  // namespace

const Value& openapi_document(std::string_view group) {
  static const std::array kDocuments = {make_document(kResourceGroups[0]),
                                        make_document(kResourceGroups[1]),
                                        make_document(kResourceGroups[2])};
  for (size_t i = 1; i < kResourceGroups.size(); ++i) {
    if (kResourceGroups[i].front().group == group) return kDocuments.at(i);
  }
  return kDocuments[0];
}

Value openapi_index() {
  Value paths = Value::Object{};
  for (const std::span<const Resource> group : kResourceGroups) {
    const std::string path = path_of(group.front());
    const size_t hash =
        std::hash<std::string>()(wire::to_json(openapi_document(group.front().group)));
    paths.set(path,
              Value::Object{{"serverRelativeURL", cat("/openapi/v3/", path, "?hash=", hash)}});
  }
  return Value::Object{{"paths", std::move(paths)}};
}

}  // namespace paddock::k8s
