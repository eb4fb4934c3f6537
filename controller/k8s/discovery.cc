#include "controller/k8s/discovery.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/meta.h"
#include "common/contracts/usage.h"
#include "common/contracts/version.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {
namespace {

using wire::Value;

// An API group with the versions that it is served in, the preferred one first.
struct Group {
  const char* name;
  std::array<const char*, 2> versions;  // unused ones are null
};
constexpr std::array<Group, 6> kGroups = {{{contracts::kGroup, {contracts::kVersion, nullptr}},
                                           {contracts::kAgentsGroup, {"v1beta1", nullptr}},
                                           {contracts::kAgentExtensionsGroup, {"v1beta1", nullptr}},
                                           {"authorization.k8s.io", {"v1", nullptr}},
                                           {"authentication.k8s.io", {"v1", "v1beta1"}},
                                           {"metrics.k8s.io", {"v1beta1", nullptr}}}};

Value group_body(const Group& group) {
  Value versions;
  for (const char* version : group.versions) {
    if (version == nullptr) continue;
    versions.push_back(
        Value::Object{{"groupVersion", cat(group.name, "/", version)}, {"version", version}});
  }
  Value preferred = versions.array()->front();
  return Value::Object{{"name", group.name},
                       {"versions", std::move(versions)},
                       {"preferredVersion", std::move(preferred)}};
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
                    Value verbs, const char* short_name = nullptr) {
  Value resource = Value::Object{{"name", plural},
                                 {"singularName", singular},
                                 {"namespaced", namespaced},
                                 {"kind", kind},
                                 {"verbs", std::move(verbs)}};
  if (short_name != nullptr) resource.set("shortNames", Value::Array{short_name});
  return resource;
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
      "v1",
      Value::Array{
          core_resource("namespaces", "namespace", "Namespace", false, Value::Array{"get", "list"},
                        "ns"),
          core_resource("events", "event", "Event", true, Value::Array{"get", "list", "watch"},
                        "ev"),
          core_resource("pods", "pod", "Pod", true, Value::Array{"get", "list", "watch"}, "po"),
          core_resource("pods/exec", "", "PodExecOptions", true, Value::Array{"create", "get"}),
          core_resource("pods/log", "", "Pod", true, Value::Array{"get"})});
}

Value api_groups() {
  Value groups;
  for (const Group& group : kGroups) groups.push_back(group_body(group));
  return Value::Object{
      {"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

Value api_group(std::string_view name) {
  const auto found =
      std::ranges::find_if(kGroups, [&](const Group& each) { return each.name == name; });
  Value group = group_body(found == kGroups.end() ? kGroups[0] : *found);
  group.set("kind", "APIGroup");
  group.set("apiVersion", "v1");
  return group;
}

Value authorization_resources() {
  const Value create = Value::Array{"create"};
  return resource_list(
      "authorization.k8s.io/v1",
      Value::Array{
          core_resource("selfsubjectaccessreviews", "", "SelfSubjectAccessReview", false, create),
          core_resource("selfsubjectrulesreviews", "", "SelfSubjectRulesReview", false, create)});
}

Value authentication_resources(std::string_view version) {
  return resource_list(cat("authentication.k8s.io/", version),
                       Value::Array{core_resource("selfsubjectreviews", "", "SelfSubjectReview",
                                                  false, Value::Array{"create"})});
}

Value metrics_resources() {
  const Value read = Value::Array{"get", "list"};
  return resource_list(contracts::kMetricsVersion,
                       Value::Array{core_resource("nodes", "", "NodeMetrics", false, read),
                                    core_resource("pods", "", "PodMetrics", true, read)});
}

Value group_resources(std::span<const Resource> rows) {
  Value resources;
  for (const Resource& each : rows) {
    Value resource = Value::Object{{"name", each.plural},
                                   {"singularName", each.singular},
                                   {"namespaced", each.namespaced},
                                   {"kind", each.kind}};
    if (!each.short_name.empty()) resource.set("shortNames", Value::Array{each.short_name});
    if (each.group == contracts::kGroup) resource.set("categories", Value::Array{"all", "paddock"});
    resource.set("verbs", verbs_of(each));
    resources.push_back(std::move(resource));
    resources.push_back(core_resource(cat(each.plural, "/status").c_str(), "",
                                      std::string(each.kind).c_str(), each.namespaced,
                                      Value::Array{"get", "patch", "update"}));
  }
  return resource_list(cat(rows.front().group, "/", rows.front().version), std::move(resources));
}

Value name_space(std::string_view name) {
  return Value::Object{{"kind", "Namespace"},
                       {"apiVersion", "v1"},
                       {"metadata", Value::Object{{"name", name}}},
                       {"status", Value::Object{{"phase", "Active"}}}};
}

}  // namespace paddock::k8s
