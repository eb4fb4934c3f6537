#include "controller/api/reviews.h"

#include <algorithm>

#include "controller/api/handlers/runs/pod_refusals.h"
#include "controller/api/routes.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/router.h"
#include "controller/k8s/discovery.h"

namespace paddock::api {
namespace {

using wire::Value;

// The question of a review, in the fields of a ResourceAttributes.
struct Question {
  std::string verb;
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string name_space;
};

const Router& table() {
  static const Router kRouter = Router::build(routes()).value();
  return kRouter;
}

struct Place {
  std::string method;
  bool one = false;  // of one object, not of the collection
};
std::optional<Place> place_of(const std::string& verb) {
  if (verb == "get") return Place{"GET", true};
  if (verb == "list" || verb == "watch") return Place{"GET", false};
  if (verb == "create") return Place{"POST", false};
  if (verb == "update") return Place{"PUT", true};
  if (verb == "patch") return Place{"PATCH", true};
  if (verb == "delete") return Place{"DELETE", true};
  if (verb == "deletecollection") return Place{"DELETE", false};
  return std::nullopt;
}

std::string preferred_version(const std::string& group) {
  if (group == contracts::kGroup) return contracts::kVersion;
  for (const char* beta :
       {"metrics.k8s.io", contracts::kAgentsGroup, contracts::kAgentExtensionsGroup}) {
    if (group == beta) return "v1beta1";
  }
  return "v1";
}

// The path by which the question would be tried.
std::vector<std::string> segments_of(const Question& question, bool in_namespace, bool one) {
  std::vector<std::string> path;
  if (question.group.empty()) {
    path = {"api", "v1"};
  } else {
    const bool any = question.version.empty() || question.version == "*";
    path = {"apis", question.group, any ? preferred_version(question.group) : question.version};
  }
  if (in_namespace) {
    path.emplace_back("namespaces");
    path.push_back(question.name_space.empty() ? "default" : question.name_space);
  }
  path.push_back(question.resource);
  if (one) path.emplace_back("x");
  if (!question.subresource.empty()) path.push_back(question.subresource);
  return path;
}

bool refuses(const Route& route) {
  return route.endpoint == refuse_attach || route.endpoint == refuse_port_forward;
}

// The route that serves the question, in a namespace or of the cluster.
const Route* route_of(const Question& question) {
  auto place = place_of(question.verb);
  if (!place) return nullptr;
  if (!question.subresource.empty()) place->one = true;
  for (const bool in_namespace : {true, false}) {
    const auto match = table().find(place->method, segments_of(question, in_namespace, place->one));
    if (match.ok()) return refuses(*match->route) ? nullptr : match->route;
  }
  return nullptr;
}

bool may_do_everything(const auth::Principal& principal, const std::string& name_space) {
  const bool all = std::ranges::find(principal.scopes, "*") != principal.scopes.end();
  return all && (principal.name_space.empty() || principal.name_space == name_space);
}

bool may(const auth::Principal& principal, const Question& question) {
  if (question.verb == "*" || question.resource == "*" || question.group == "*")
    return may_do_everything(principal, question.name_space);
  const Route* route = route_of(question);
  return route != nullptr && auth::authorize(principal, route->scope, question.name_space, "").ok();
}

bool may_get_path(const auth::Principal& principal, const std::string& verb,
                  const std::string& path) {
  std::vector<std::string> segments;
  for (const std::string& part : split(path, '/')) {
    if (!part.empty()) segments.push_back(part);
  }
  if (verb != "get") return false;
  const auto match = table().find("GET", segments);
  return match.ok() && auth::authorize(principal, match->route->scope, "", "").ok();
}

Response reviewed(const char* kind, std::string_view api_version, Value spec, Value status) {
  return json_response(Value::Object{{"kind", kind},
                                     {"apiVersion", api_version},
                                     {"metadata", Value::Object{}},
                                     {"spec", std::move(spec)},
                                     {"status", std::move(status)}},
                       201);
}

Value spec_of(const Value& body) {
  const Value* spec = body.find("spec");
  return spec != nullptr && spec->object() != nullptr ? *spec : Value(Value::Object{});
}

Status check_review(const Value& body, std::string_view kind) {
  if (body.text("kind") == kind) return {};
  return invalid_argument("KIND_MISMATCH", cat("kind must be ", kind, " here"), "kind");
}

// The verbs of one resource that the caller has in a namespace.
Value allowed_verbs(const auth::Principal& principal, const std::string& group,
                    const Value& resource, const std::string& name_space) {
  Value verbs = Value::Array{};
  const std::vector<std::string> name = split(resource.text("name"), '/');
  for (const Value& verb : *resource.find("verbs")->array()) {
    const Question question{*verb.string(), group, "", name[0], name.size() > 1 ? name[1] : "",
                            name_space};
    if (may(principal, question)) verbs.push_back(verb);
  }
  return verbs;
}

void add_rules(const auth::Principal& principal, const std::string& group, const Value& list,
               const std::string& name_space, Value& rules) {
  for (const Value& resource : *list.find("resources")->array()) {
    Value verbs = allowed_verbs(principal, group, resource, name_space);
    if (verbs.array()->empty()) continue;
    rules.push_back(Value::Object{{"verbs", std::move(verbs)},
                                  {"apiGroups", Value::Array{group}},
                                  {"resources", Value::Array{resource.text("name")}}});
  }
}

}  // namespace

Result<Response> review_access(Call& call) {
  TRY(check_review(call.body, "SelfSubjectAccessReview"));
  const Value spec = spec_of(call.body);
  bool allowed = false;
  if (const Value* wanted = spec.find("resourceAttributes")) {
    allowed = may(call.principal, {wanted->text("verb"), wanted->text("group"),
                                   wanted->text("version"), wanted->text("resource"),
                                   wanted->text("subresource"), wanted->text("namespace")});
  } else if (const Value* path = spec.find("nonResourceAttributes")) {
    allowed = may_get_path(call.principal, path->text("verb"), path->text("path"));
  } else {
    return invalid_argument("INVALID_FIELD",
                            "spec needs resourceAttributes or nonResourceAttributes", "spec");
  }
  return reviewed("SelfSubjectAccessReview", "authorization.k8s.io/v1", spec,
                  Value::Object{{"allowed", allowed}, {"reason", ""}});
}

Result<Response> review_rules(Call& call) {
  TRY(check_review(call.body, "SelfSubjectRulesReview"));
  const Value spec = spec_of(call.body);
  const std::string name_space = spec.text("namespace");
  Value rules = Value::Array{};
  add_rules(call.principal, contracts::kGroup, k8s::group_resources(), name_space, rules);
  for (const auto& group : {std::span<const k8s::Resource>(k8s::kAgentResources),
                            std::span<const k8s::Resource>(k8s::kAgentExtensionResources)})
    add_rules(call.principal, std::string(group.front().group), k8s::group_resources(group),
              name_space, rules);
  add_rules(call.principal, "", k8s::core_resources(), name_space, rules);
  add_rules(call.principal, "authorization.k8s.io", k8s::authorization_resources(), name_space,
            rules);
  add_rules(call.principal, "authentication.k8s.io", k8s::authentication_resources("v1"),
            name_space, rules);
  Value paths = Value::Array{};
  for (const char* path : {"/api", "/apis", "/openapi/v2", "/openapi/v3", "/version", "/metrics"}) {
    if (may_get_path(call.principal, "get", path)) paths.push_back(path);
  }
  Value others = Value::Array{
      Value::Object{{"verbs", Value::Array{"get"}}, {"nonResourceURLs", std::move(paths)}}};
  return reviewed("SelfSubjectRulesReview", "authorization.k8s.io/v1", spec,
                  Value::Object{{"resourceRules", std::move(rules)},
                                {"nonResourceRules", std::move(others)},
                                {"incomplete", false}});
}

Result<Response> review_self(Call& call) {
  TRY(check_review(call.body, "SelfSubjectReview"));
  Value scopes = Value::Array{};
  for (const std::string& scope : call.principal.scopes) scopes.push_back(scope);
  Value extra = Value::Object{{"paddock.dev/scopes", std::move(scopes)}};
  if (!call.principal.name_space.empty())
    extra.set("paddock.dev/namespace", Value::Array{call.principal.name_space});
  return reviewed(
      "SelfSubjectReview", cat("authentication.k8s.io/", call.param("version")), Value::Object{},
      Value::Object{{"userInfo", Value::Object{{"username", call.principal.subject},
                                               {"groups", Value::Array{"system:authenticated"}},
                                               {"extra", std::move(extra)}}}});
}

}  // namespace paddock::api
