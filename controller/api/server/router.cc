#include "controller/api/server/router.h"

#include <string_view>

#include "common/base/text.h"

namespace paddock::api {
namespace {

constexpr std::string_view kRestMark = "…";

bool is_parameter(std::string_view segment) {
  return segment.starts_with('{') && segment.ends_with('}');
}

Error duplicate(const Route& route) {
  return {Code::kFailedPrecondition, "ROUTE_DUPLICATE",
          cat("the route ", route.method, " ", route.pattern, " clashes with another one")};
}

}  // namespace

Result<Router> Router::build(const std::vector<Route>& routes) {
  Router router;
  for (const Route& route : routes) TRY(router.add(route));
  return router;
}

Status Router::add(const Route& route) {
  Node* here = root_.get();
  for (const std::string& segment : split(std::string_view(route.pattern).substr(1), '/')) {
    if (here->is_rest) return duplicate(route);  // nothing can follow the rest
    if (segment.empty()) continue;
    if (!is_parameter(segment)) {
      std::unique_ptr<Node>& next = here->literals[segment];
      if (!next) next = std::make_unique<Node>();
      here = next.get();
      continue;
    }
    std::string name = segment.substr(1, segment.size() - 2);
    const bool rest = name.ends_with(kRestMark);
    if (rest) name.resize(name.size() - kRestMark.size());
    if (!here->parameter) {
      here->parameter = std::make_unique<Node>();
      here->parameter_name = name;
      here->parameter->is_rest = rest;
    }
    if (here->parameter_name != name || here->parameter->is_rest != rest) return duplicate(route);
    here = here->parameter.get();
  }
  if (!here->methods.emplace(route.method, route).second) return duplicate(route);
  return {};
}

// Literal segments win over parameters; a dead end goes back to the parameter.
const Router::Node* Router::descend(const Node& node, const std::vector<std::string>& segments,
                                    size_t at, std::map<std::string, std::string>& params) {
  if (at == segments.size()) return node.methods.empty() ? nullptr : &node;
  if (const auto literal = node.literals.find(segments[at]); literal != node.literals.end()) {
    if (const Node* found = descend(*literal->second, segments, at + 1, params)) return found;
  }
  if (!node.parameter) return nullptr;
  if (node.parameter->is_rest) {
    params[node.parameter_name] =
        join(std::vector(segments.begin() + static_cast<std::ptrdiff_t>(at), segments.end()), "/");
    return node.parameter.get();
  }
  const Node* found = descend(*node.parameter, segments, at + 1, params);
  if (found != nullptr) params[node.parameter_name] = segments[at];
  return found;
}

Result<Router::Match> Router::find(const std::string& method,
                                   const std::vector<std::string>& segments) const {
  Match match;
  const Node* node = descend(*root_, segments, 0, match.params);
  if (node == nullptr)
    return Error{Code::kNotFound, "ROUTE_NOT_FOUND",
                 "the server could not find the requested resource"};
  const auto found = node->methods.find(method);
  if (found == node->methods.end()) {
    std::vector<std::string> allowed;
    for (const auto& [name, route] : node->methods) allowed.push_back(name);
    return Error{Code::kInvalidArgument,
                 "METHOD_NOT_ALLOWED",
                 cat("this path takes ", join(allowed, ", "), " only"),
                 {},
                 {join(allowed, ", ")}};
  }
  match.route = &found->second;
  return match;
}

}  // namespace paddock::api
