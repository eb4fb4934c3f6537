#include "controller/api/routes.h"

#include <cstdlib>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

TEST(Routes, AreTheOnesInTheGoldenFile) {
  if (std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr) {
    ASSERT_TRUE(
        os::write_file_atomic(golden_path("routes.txt"), describe_routes(routes()), 0644).ok());
  }
  EXPECT_EQ(describe_routes(routes()), os::read_file(golden_path("routes.txt")).value());
}

// A row without a scope is no Route.
template <class... Args>
constexpr bool kMakesRoute = requires(Args... args) {
  Route{args...};
};
static_assert(kMakesRoute<const char*, const char*, auth::Scope, BodyRule, Endpoint>);
static_assert(!kMakesRoute<const char*, const char*, BodyRule, Endpoint>);
static_assert(!kMakesRoute<const char*, const char*, Endpoint>);
static_assert(!std::is_default_constructible_v<Route>);

Result<Response> nothing(Call&) { return Response{}; }

// proves: OD-78, OD-79
TEST(Router, RefusesTwoRoutesForOneMethodAndPattern) {
  const Route one{"GET", "/a/{x}", auth::Scope::kAdmin, kNoBody, nothing};
  EXPECT_EQ(Router::build({one, one}).error().reason, "ROUTE_DUPLICATE");
  EXPECT_EQ(
      Router::build({one, {"GET", "/a/{y}", auth::Scope::kAdmin, kNoBody, nothing}}).error().reason,
      "ROUTE_DUPLICATE");
  EXPECT_TRUE(Router::build({one, {"POST", "/a/{x}", auth::Scope::kAdmin, kNoBody, nothing}}).ok());
}

TEST(Router, MatchesWholeSegmentsAndTellsAWrongMethodFromAWrongPath) {
  const Router router =
      Router::build({{"GET", "/a/{x}", auth::Scope::kAdmin, kNoBody, nothing},
                     {"GET", "/a/fixed/deep", auth::Scope::kAdmin, kNoBody, nothing},
                     {"GET", "/f/{path…}", auth::Scope::kAdmin, kNoBody, nothing}})
          .value();
  EXPECT_EQ(router.find("GET", {"a", "1"})->params.at("x"), "1");
  EXPECT_EQ(router.find("GET", {"a", "fixed"})->params.at("x"), "fixed");
  EXPECT_EQ(router.find("GET", {"f", "x", "y"})->params.at("path"), "x/y");
  EXPECT_EQ(router.find("GET", {"f"}).error().reason, "ROUTE_NOT_FOUND");
  EXPECT_EQ(router.find("GET", {"a"}).error().reason, "ROUTE_NOT_FOUND");
  EXPECT_EQ(router.find("GET", {"a", "1", "2"}).error().reason, "ROUTE_NOT_FOUND");
  EXPECT_EQ(router.find("PUT", {"a", "1"}).error().reason, "METHOD_NOT_ALLOWED");
}

class EveryRoute : public ApiTest {
 protected:
  // 401 and 403 are refusals; everything else got through to the handler.
  bool lets_in(const Route& route, const std::string& token) {
    const Answer answer = send(
        request_of(route.method, target_of(route.pattern, "x", std::string(64, 'a')), token), "{}");
    return answer.status != 401 && answer.status != 403;
  }
};

TEST_F(EveryRoute, LetsInExactlyThoseWhoseScopeItNames) {
  struct Kind {
    const char* name;
    std::string token;
    std::vector<std::string> scopes;
    bool is_node;
  };
  std::vector<Kind> kinds = {
      {"nobody", "", {}, false},
      {"admin", admin_, {"*"}, false},
      {"enrol", enroll_, auth::enroll_scopes(), false},
      {"node n1", add_token("node:n1", auth::node_scopes()), auth::node_scopes(), true},
      {"node n2", add_token("node:n2", auth::node_scopes()), {}, false}};
  for (const auth::Scope scope :
       {auth::Scope::kRunsRead, auth::Scope::kRunsWrite, auth::Scope::kExecute,
        auth::Scope::kWorkspacesRead, auth::Scope::kWorkspacesWrite, auth::Scope::kNodesRead,
        auth::Scope::kNodesWrite}) {
    const std::string name(auth::scope_name(scope));
    kinds.push_back({"one scope", add_token("someone", {name}), {name}, false});
  }
  for (const Route& route : routes()) {
    for (const Kind& kind : kinds) {
      bool expected = route.scope == auth::Scope::kPublic ||
                      (route.scope == auth::Scope::kAuthenticated && !kind.token.empty());
      for (const std::string& scope : kind.scopes) {
        expected = expected || scope == auth::scope_name(route.scope) ||
                   (scope == "*" && route.scope != auth::Scope::kNodeSelf) ||
                   (scope == "runs:write" && route.scope == auth::Scope::kExecute);
      }
      EXPECT_EQ(lets_in(route, kind.token), expected)
          << route.method << " " << route.pattern << " for " << kind.name;
    }
  }
}

TEST_F(EveryRoute, KeepsATokenOfANamespaceOutOfAllOthers) {
  const std::string inside = add_token("a", {"*"}, "default");
  const std::string outside = add_token("b", {"*"}, "elsewhere");
  for (const Route& route : routes()) {
    const bool has_namespace =
        std::string_view(route.pattern).find("{ns}") != std::string_view::npos;
    if (!has_namespace || route.scope == auth::Scope::kAuthenticated) continue;
    EXPECT_TRUE(lets_in(route, inside)) << route.pattern;
    EXPECT_FALSE(lets_in(route, outside)) << route.pattern;
  }
}

TEST_F(EveryRoute, SurvivesHostileBodies) {
  const std::string deep = std::string(100'000, '[');
  for (const Route& route : routes()) {
    if (route.body.kind != BodyKind::kDocument && route.body.kind != BodyKind::kReview) continue;
    const std::string token =
        route.scope == auth::Scope::kNodeSelf ? add_token("node:n1", auth::node_scopes()) : admin_;
    for (const std::string& text :
         {std::string("{"), std::string("{\"a\":\"\xff\"}"), std::string("{\"a\":1,\"a\":2}"), deep,
          std::string(route.body.limit + 1, ' '), std::string("null"), std::string("[]"),
          std::string("7")}) {
      const Answer answer =
          send(request_of(route.method, target_of(route.pattern, "x", std::string(64, 'a')), token),
               text);
      EXPECT_GE(answer.status, 400) << route.pattern;
      EXPECT_LT(answer.status, 500) << route.pattern;
      const bool rpc =
          std::string_view(route.pattern) == "/mcp" && !answer.body.text("jsonrpc").empty();
      EXPECT_TRUE(rpc || answer.body.text("kind") == "Status") << route.pattern;
    }
  }
}

TEST_F(EveryRoute, RefusesBySizeThenByMediaTypeThenBySyntax) {
  const std::string too_large((size_t{8} << 20) + 1, ' ');
  EXPECT_EQ(call("POST", kRuns, too_large).status, 413);
  EXPECT_EQ(call("POST", kRuns, too_large).reason(), "BODY_TOO_LARGE");
  Request request = request_of("POST", kRuns, admin_);
  request.headers["content-type"] = "application/vnd.kubernetes.protobuf";
  EXPECT_EQ(send(request, "{}").status, 415);
  request.headers["content-type"] = "application/yaml";
  EXPECT_EQ(send(request, "a: &a [x]\nb: [*a,*a]\n").reason(), "MALFORMED_YAML");
  EXPECT_EQ(call("POST", kRuns, "{").reason(), "MALFORMED_JSON");
  EXPECT_EQ(call("PUT", kRuns, "{}").status, 405);
  EXPECT_EQ(call("GET", "/nope").reason(), "ROUTE_NOT_FOUND");
}

TEST_F(EveryRoute, RefusesTreesWithHostileNamesByEntry) {
  make_workspace();
  for (const char* path : {"../x", "/etc/passwd", "a/../b", "a//b", "new\\nline"}) {
    const std::string tree = cat(R"({"entries":[{"path":")", path, R"(","size":1,"digest":")",
                                 std::string(64, '0'), "\"}]}");
    const Answer answer = call("POST", cat(kWorkspaces, "/w/tree"), tree);
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_EQ(answer.body.at("error.details.causes")->array()->at(0).text("field"),
              "entries[0].path")
        << path;
  }
  const Answer wrong = call("PUT", cat(kWorkspaces, "/w/blobs/", std::string(64, '0')), "not zero");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.reason(), "DIGEST_MISMATCH");
}

TEST_F(EveryRoute, GivesANodesNameToOneAgentOnly) {
  const std::string target = cat(kNodes, "/n1/enroll");
  const std::string mine = R"({"identity":"0123456789012345678901234567890123456789"})";
  const Answer first = send(request_of("POST", target, enroll_), mine);
  ASSERT_EQ(first.status, 201) << first.text;
  EXPECT_EQ(send(request_of("POST", target, enroll_), mine).status, 201);
  const Answer other = send(request_of("POST", target, enroll_),
                            R"({"identity":"another-0123456789012345678901234567890"})");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.reason(), "NODE_NAME_TAKEN");
}

}  // namespace
}  // namespace paddock::api
