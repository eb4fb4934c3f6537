#include "controller/k8s/discovery.h"

#include "common/contracts/meta.h"
#include "common/contracts/version.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {
namespace {

using wire::Value;

Value group_version() {
  return Value::Object{{"groupVersion", contracts::kApiVersion}, {"version", contracts::kVersion}};
}

Value group_body(bool standalone) {
  Value group;
  if (standalone) group = Value::Object{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  group.set("name", contracts::kGroup);
  group.set("versions", Value::Array{group_version()});
  group.set("preferredVersion", group_version());
  return group;
}

Value verbs_of(const Resource& resource) {
  Value verbs;
  for (const std::string_view verb : resource.verbs) {
    if (!verb.empty()) verbs.push_back(verb);
  }
  return verbs;
}

Value resource_list(std::string_view version, Value resources) {
  return Value::Object{{"kind", "APIResourceList"},
                       {"apiVersion", "v1"},
                       {"groupVersion", version},
                       {"resources", std::move(resources)}};
}

Value core_resource(const char* plural, const char* singular, const char* kind, bool namespaced,
                    Value verbs) {
  return Value::Object{{"name", plural},
                       {"singularName", singular},
                       {"namespaced", namespaced},
                       {"kind", kind},
                       {"verbs", std::move(verbs)}};
}

}  // namespace

Value version() {
  return Value::Object{{"major", "1"},
                       {"minor", "32"},
                       {"gitVersion", std::string("v1.32.0+paddock.") + contracts::kProgramVersion},
                       {"gitCommit", ""},
                       {"gitTreeState", ""},
                       {"buildDate", ""},
                       {"goVersion", ""},
                       {"compiler", ""},
                       {"platform", "linux/amd64"}};
}

Value api_versions() {
  return Value::Object{{"kind", "APIVersions"},
                       {"apiVersion", "v1"},
                       {"versions", Value::Array{"v1"}},
                       {"serverAddressByClientCIDRs", Value::Array{}}};
}

Value core_resources() {
  return resource_list(
      "v1", Value::Array{core_resource("namespaces", "namespace", "Namespace", false,
                                       Value::Array{"get", "list"}),
                         core_resource("events", "event", "Event", true, Value::Array{"list"})});
}

Value api_groups() {
  return Value::Object{
      {"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", Value::Array{group_body(false)}}};
}

Value api_group() { return group_body(true); }

Value group_resources() {
  Value resources;
  for (const Resource& each : kResources) {
    resources.push_back(Value::Object{{"name", each.plural},
                                      {"singularName", each.singular},
                                      {"namespaced", each.namespaced},
                                      {"kind", each.kind},
                                      {"shortNames", Value::Array{each.short_name}},
                                      {"categories", Value::Array{"all", "paddock"}},
                                      {"verbs", verbs_of(each)}});
  }
  return resource_list(contracts::kApiVersion, std::move(resources));
}

Value name_space(std::string_view name) {
  return Value::Object{{"kind", "Namespace"},
                       {"apiVersion", "v1"},
                       {"metadata", Value::Object{{"name", name}}},
                       {"status", Value::Object{{"phase", "Active"}}}};
}

}  // namespace paddock::k8s
