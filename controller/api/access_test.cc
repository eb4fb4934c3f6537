// Every route by every kind of caller, against tests/golden/access.txt: a route that is new has no
// row there, and this fails. Handlers are left out, so that only the way to them is looked at.
#include <algorithm>
#include <cstdlib>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

Result<Response> let_in(Call&) { return Response{}; }

std::vector<Route> without_handlers() {
  std::vector<Route> table = routes();
  for (Route& route : table) route.endpoint = let_in;
  return table;
}

struct Caller {
  std::string name;
  std::string token;
  std::string gateway = {};  // the run whose gateway it comes by
};

class Access : public ApiTest {
 protected:
  Access() {
    make_workspace();
    for (const char* run : {"r", "other", "over"}) call("POST", kRuns, run_text(run));
    callers_ = {{"anonymous", ""},
                {"unknown", "pdk_" + std::string(43, 'a')},
                {"admin", admin_},
                {"namespace", add_token("someone", {"*"}, "default")},
                {"elsewhere", add_token("someone", {"*"}, "elsewhere")},
                {"viewer", add_token("viewer", {"runs:read", "workspaces:read", "nodes:read",
                                                "grants:read"})},
                {"enroller", enroll_},
                {"node", add_token("node:n1", auth::node_scopes())},
                {"othernode", add_token("node:n2", auth::node_scopes())},
                {"tool", tool("r", kEverything)},
                {"reader", tool("r", R"({"operations":["run:read"]})")},
                {"othertool", tool("other", kEverything)},
                {"revoked", revoked()},
                {"ended", tool("over", kEverything)},
                {"expired", tool("r", R"({"operations":["run:read"],"ttl":"1s"})")}};
    const std::string gateway = call("GET", cat(kRuns, "/r")).body.text("metadata.uid");
    for (const auto& [name, of] : {std::pair{"gateway", "tool"},
                                   {"gatewayreader", "reader"},
                                   {"gatewayanonymous", "anonymous"},
                                   {"gatewayunknown", "unknown"},
                                   {"gatewayadmin", "admin"},
                                   {"gatewaynode", "node"},
                                   {"gatewayother", "othertool"}})
      callers_.push_back({name, token_of(of), gateway});
    end_run("over");
    clock_.advance(Millis(2000));
  }

  static constexpr const char* kEverything =
      R"({"operations":["run:read","run:cancel","artifacts:read","project:read","media:generate",)"
      R"("tool-results:write","tool-tokens:create"],"ttl":"1h"})";

  std::string tool(const std::string& run, const std::string& request) {
    const Answer made = call("POST", cat(kRuns, "/", run, "/tool-tokens"), request);
    EXPECT_EQ(made.status, 201) << made.text;
    return made.body.text("status.token");
  }
  std::string token_of(const std::string& caller) const {
    return std::ranges::find(callers_, caller, &Caller::name)->token;
  }
  std::string revoked() {
    const Answer made = call("POST", cat(kRuns, "/r/tool-tokens"), kEverything);
    call("POST", cat("/apis/paddock.dev/v1alpha1/namespaces/default/tooltokens/",
                     made.body.text("metadata.name"), "/revoke"));
    return made.body.text("status.token");
  }

  // `in`, or the status and the reason.
  std::string answer_for(const Route& route, const Caller& caller, const char* query = "") {
    const char* name = route.tool == contracts::kReadProject ? "w" : "r";  // of both runs
    Request request =
        request_of(route.method, cat(target_of(route.pattern, name, "r"), query), caller.token);
    FakeBody body("{}");
    request.body = &body;
    request.gateway_run = caller.gateway;
    if (std::string_view(route.method) == "PATCH")
      request.headers["content-type"] = "application/merge-patch+json";
    const Response response = handler_(request);
    if (response.status == 200) return "in";
    const auto document = wire::parse_json(response.body);
    return cat(response.status, " ", document ? document->text("error.code") : "");
  }

  // Callers with the same answer share a line: `403 SCOPE_MISSING: viewer enroller`.
  std::string row(const Route& route) {
    std::vector<std::pair<std::string, std::string>> by_answer;
    for (const Caller& caller : callers_) {
      const std::string answer = answer_for(route, caller);
      const auto same = std::ranges::find(by_answer, answer, [](const auto& p) { return p.first; });
      if (same == by_answer.end()) {
        by_answer.emplace_back(answer, caller.name);
      } else {
        same->second += " " + caller.name;
      }
    }
    std::string text = cat(route.method, " ", route.pattern, "\n");
    for (const auto& [answer, names] : by_answer) text += cat("  ", answer, ": ", names, "\n");
    return text;
  }

  // What the row of a route says of a caller's kind, told by another way than by asking.
  static bool should_enter(const Route& route, const std::string& caller) {
    if (caller == "gateway") return route.tool.has_value();
    if (caller == "gatewayreader") return route.tool && route.tool->operation == "run:read";
    if (caller.starts_with("gateway")) return false;
    if (route.scope == auth::Scope::kPublic) return true;
    const std::string pattern = route.pattern;
    const bool reads = route.tool && route.tool->operation == "run:read";
    const bool of_default = pattern.find("{ns}") != std::string::npos;
    const bool of_own = pattern.starts_with("/e2b/");  // in the namespace of whoever asks
    const bool of_nodes = route.scope == auth::Scope::kNodeSelf;
    if (caller == "admin") return !of_nodes;
    if (caller == "tool") return route.tool.has_value();
    if (caller == "reader") return reads;
    if (caller == "othertool") return route.tool == contracts::kReadProject;
    if (route.scope == auth::Scope::kAuthenticated)
      return caller != "anonymous" && caller != "unknown" && caller != "othertool" &&
             caller != "revoked" && caller != "ended" && caller != "expired";
    if (caller == "namespace") return !of_nodes && (of_default || of_own);
    if (caller == "elsewhere") return of_own;
    if (caller == "node") return of_nodes;
    if (caller == "enroller") return route.scope == auth::Scope::kNodeEnroll;
    if (caller == "viewer")
      return route.scope == auth::Scope::kRunsRead || route.scope == auth::Scope::kWorkspacesRead ||
             route.scope == auth::Scope::kNodesRead || route.scope == auth::Scope::kGrantsRead;
    return false;  // anonymous, unknown, othernode, othertool, revoked, ended, expired
  }

  std::vector<Caller> callers_;
  Router open_ = Router::build(without_handlers()).value();
  Handler handler_ = make_handler(open_, services_);
};

// proves: OD-03
TEST_F(Access, OfEveryRouteByEveryKindOfCallerIsInTheGoldenFile) {
  std::string text;
  for (const Route& route : routes()) text += row(route);
  if (std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr) {
    ASSERT_TRUE(os::write_file_atomic(golden_path("access.txt"), text, 0644).ok());
  }
  EXPECT_EQ(text, os::read_file(golden_path("access.txt")).value());
}

TEST_F(Access, IsGivenByTheRoutesOwnRowAndByNothingElse) {
  for (const Route& route : routes()) {
    for (const Caller& caller : callers_)
      EXPECT_EQ(answer_for(route, caller) == "in", should_enter(route, caller.name))
          << route.method << " " << route.pattern << " for " << caller.name;
  }
}

// Whoever wants to try something must not find it done.
TEST_F(Access, ADryRunComesToNoHandlerThatDoesNotKnowIt) {
  const Caller& node = *std::ranges::find(callers_, "node", &Caller::name);
  const Caller& admin = *std::ranges::find(callers_, "admin", &Caller::name);
  for (const Route& route : routes()) {
    const Caller& caller = route.scope == auth::Scope::kNodeSelf ? node : admin;
    const bool comes = route.tries || std::string_view(route.method) == "GET";
    EXPECT_EQ(answer_for(route, caller, "?dryRun=All"),
              comes ? answer_for(route, caller) : "400 DRY_RUN_NOT_SUPPORTED")
        << route.method << " " << route.pattern;
  }
}

}  // namespace
}  // namespace paddock::api
