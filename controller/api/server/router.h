// Finds the route of a request by whole segments, never by prefixes or expressions. Immutable once
// built, so any thread may use it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "controller/api/server/route.h"

namespace paddock::api {

class Router {
 public:
  // FailedPrecondition (ROUTE_DUPLICATE) if two routes have one method and pattern, or one place
  // has two parameter names.
  static Result<Router> build(const std::vector<Route>& routes);

  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string> params;
  };
  // NotFound (ROUTE_NOT_FOUND); InvalidArgument (METHOD_NOT_ALLOWED), whose context lists the
  // methods that would do.
  Result<Match> find(const std::string& method, const std::vector<std::string>& segments) const;

 private:
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
    std::unique_ptr<Node> parameter;
    std::string parameter_name;
    bool is_rest = false;  // this parameter takes everything that is left
    std::map<std::string, Route, std::less<>> methods;
  };
  Status add(const Route& route);
  static const Node* descend(const Node& node, const std::vector<std::string>& segments, size_t at,
                             std::map<std::string, std::string>& params);

  std::unique_ptr<Node> root_ = std::make_unique<Node>();
};

}  // namespace paddock::api
