// THE table of routes: everything this server answers, with the scope each needs.
#pragma once

#include <string>
#include <vector>

#include "controller/api/server/route.h"

namespace paddock::api {

const std::vector<Route>& routes();
// The routes of the port that answers only POST /execute. `open`: without a token, on loopback.
std::vector<Route> execute_routes(bool open);

// The table as text, one route a line: method, pattern, scope, body. tests/golden/routes.txt holds
// it.
std::string describe_routes(const std::vector<Route>& table);

}  // namespace paddock::api
