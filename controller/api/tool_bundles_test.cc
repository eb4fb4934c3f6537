// Tool bundles of agent runs, over the API.
#include "controller/api/api_test_support.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

constexpr const char* kBundle =
    R"({"mcpServers":[{"id":"files","label":"Files","transport":"stdio","command":"python3",)"
    R"("args":["server.py","arg-secret-1"],"env":{"KEY":"env-secret-2"}},)"
    R"({"id":"web","transport":"http","url":"https://tools.example/url-secret-3",)"
    R"("headers":{"Authorization":"Bearer header-secret-4"},"enabled":false,"authMode":"none"}]})";

class ToolBundles : public ApiTest {
 protected:
  ToolBundles() { make_workspace(); }
  Answer create(const std::string& name, const std::string& bundle,
                const std::string& type = "agent", const std::string& meta = {}) {
    return call("POST", kRuns,
                cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")",
                    name, R"(")", meta, R"(},"spec":{"type":")", type,
                    R"(","command":"python3 s.py","workspace":"w","toolBundle":)", bundle, "}}"));
  }
  static void expect_no_secret(const Answer& answer) {
    for (const char* secret : {"arg-secret-1", "env-secret-2", "url-secret-3", "header-secret-4",
                               "tools.example", "server.py", "Authorization"})
      EXPECT_EQ(answer.text.find(secret), std::string::npos) << secret << " in " << answer.text;
  }
  void bind(const std::string& name) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", name}));
                      run.status.node_name = "n1";
                      run.status.phase = contracts::RunPhase::kScheduled;
                      run.status.attempt = 1;
                      return store::save_run(txn, run, {});
                    })
                    .ok());
  }
  std::string uid(const std::string& name) {
    return call("GET", cat(kRuns, "/", name)).body.text("metadata.uid");
  }
};

// proves: OD-32
TEST_F(ToolBundles, AreShownAsASummaryWithNothingSecretInIt) {
  const Answer made = create(
      "r", kBundle, "agent",
      R"(,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"arg-secret-1"})");
  ASSERT_EQ(made.status, 201) << made.text;
  for (const Answer& seen : {made, call("GET", cat(kRuns, "/r")), call("GET", kRuns),
                             call("GET", "/audit"), call("GET", cat(kRuns, "/r/status"))})
    expect_no_secret(seen);
  const Answer run = call("GET", cat(kRuns, "/r"));
  EXPECT_EQ(run.body.at("spec.toolBundle"), nullptr);
  ASSERT_NE(run.body.at("status.toolBundle"), nullptr) << run.text;
  EXPECT_EQ(wire::to_json(*run.body.at("status.toolBundle")),
            R"({"mcpServers":[{"id":"files","label":"Files","transport":"stdio","enabled":true},)"
            R"({"id":"web","transport":"http","enabled":false,"authMode":"none"}]})");
  EXPECT_EQ(call("PUT", cat(kRuns, "/r"), run.text).status, 200) << "what was read can be written";
}

// proves: OD-10
TEST_F(ToolBundles, AreForTheNodeOfTheRunAloneAndUntilItEnds) {
  ASSERT_EQ(create("r", kBundle).status, 201);
  const std::string run_uid = uid("r");
  const std::string path = cat(kNodes, "/n1/runs/", run_uid, "/tool-bundle");
  const std::string n1 = add_token("node:n1", auth::node_scopes());
  const std::string n2 = add_token("node:n2", auth::node_scopes());
  EXPECT_EQ(send(request_of("GET", path, n1)).status, 404) << "not its run yet";
  bind("r");
  const Answer given = send(request_of("GET", path, n1));
  ASSERT_EQ(given.status, 200) << given.text;
  EXPECT_NE(given.text.find("header-secret-4"), std::string::npos);
  EXPECT_EQ(send(request_of("GET", path, n2)).status, 403);
  EXPECT_EQ(call("GET", path).status, 403) << "not even an administrator";
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", "r"}));
                    run.status.phase = contracts::RunPhase::kSucceeded;
                    return store::save_run(txn, run, {});
                  })
                  .ok());
  ASSERT_TRUE(store_
                  ->read([&](store::ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto kept, txn.tool_bundle(run_uid));
                    EXPECT_FALSE(kept) << "gone with the run";
                    return {};
                  })
                  .ok());
}

// proves: OD-31, OD-64
TEST_F(ToolBundles, ThatAreBadAreRefusedByTheirField) {
  struct Case {
    const char* bundle;
    const char* field;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"7", "spec.toolBundle", "toolBundle must be an object"},
      {"{}", "spec.toolBundle.mcpServers", "toolBundle.mcpServers must be an array"},
      {R"({"mcpServers":{}})", "spec.toolBundle.mcpServers",
       "toolBundle.mcpServers must be an array"},
      {R"({"mcpServers":[7]})", "spec.toolBundle.mcpServers[0]",
       "toolBundle.mcpServers[0] is invalid"},
      {R"({"mcpServers":[{"id":"-a","transport":"stdio","command":"x"}]})",
       "spec.toolBundle.mcpServers[0].id", "toolBundle.mcpServers[0] is invalid"},
      {R"({"mcpServers":[{"id":"a","transport":"pipe","command":"x"}]})",
       "spec.toolBundle.mcpServers[0].transport", "must be stdio, sse or http"},
      {R"({"mcpServers":[{"id":"a","transport":"stdio"}]})",
       "spec.toolBundle.mcpServers[0].command", "a stdio server needs one"},
      {R"({"mcpServers":[{"id":"a","transport":"stdio","command":"../x"}]})",
       "spec.toolBundle.mcpServers[0].command", "the path of one inside the run"},
      {R"({"mcpServers":[{"id":"a","transport":"stdio","command":"/etc/x"}]})",
       "spec.toolBundle.mcpServers[0].command", "the path of one inside the run"},
      {R"({"mcpServers":[{"id":"a","transport":"stdio","command":"x","env":{"HOME":"/"}}]})",
       "spec.toolBundle.mcpServers[0].env.HOME", "is the run's own"},
      {R"({"mcpServers":[{"id":"a","transport":"stdio","command":"x","env":{"LD_PRELOAD":"s"}}]})",
       "spec.toolBundle.mcpServers[0].env.LD_PRELOAD", "would change how"},
      {R"({"mcpServers":[{"id":"a","transport":"stdio","command":"x","url":"http://h"}]})",
       "spec.toolBundle.mcpServers[0].url", "a stdio server has none"},
      {R"({"mcpServers":[{"id":"a","transport":"http","url":"file:///secret"}]})",
       "spec.toolBundle.mcpServers[0].url", "must be an http or https address"},
      {R"({"mcpServers":[{"id":"a","transport":"sse","url":"https://u:secret@h/"}]})",
       "spec.toolBundle.mcpServers[0].url", "credentials belong in headers"},
      {R"({"mcpServers":[{"id":"a","transport":"http","url":"http://h","headers":{"X":"a\r\nY: secret"}}]})",
       "spec.toolBundle.mcpServers[0].headers.X", "control characters"},
      {R"({"mcpServers":[{"id":"a","transport":"http","url":"http://h","headers":{"Host":"h"}}]})",
       "spec.toolBundle.mcpServers[0].headers.Host", "is set by the client itself"},
      {R"({"mcpServers":[{"id":"a","transport":"http","url":"http://h","other":1}]})",
       "spec.toolBundle.mcpServers[0]", "it has a field that is not known"},
      {R"({"mcpServers":[{"id":"x","transport":"stdio","command":"x"},{"id":"x","transport":"stdio","command":"x"}]})",
       "spec.toolBundle.mcpServers[1].id", "toolBundle.mcpServers[1] duplicates server id \"x\""}};
  for (const Case& each : cases) {
    const Answer answer = create("bad", each.bundle);
    EXPECT_EQ(answer.status, 400) << each.bundle;
    EXPECT_NE(answer.text.find(cat("\"", each.field, "\"")), std::string::npos) << answer.text;
    EXPECT_NE(answer.body.text("message").find(each.message), std::string::npos) << answer.text;
    EXPECT_EQ(answer.text.find("secret"), std::string::npos) << answer.text;
  }
  const Answer compute = create("bad", kBundle, "compute");
  EXPECT_EQ(compute.status, 400);
  EXPECT_EQ(compute.reason(), "TOOL_BUNDLE_NOT_SUPPORTED");
}

// proves: OD-30, OD-64
TEST(ToolBundle, GivesTheProgramItsEnabledServersAndNoOther) {
  const auto bundle = wire::decode<contracts::ToolBundle>(wire::parse_json(kBundle).value());
  ASSERT_TRUE(bundle.ok()) << bundle.error().describe();
  const auto config = wire::parse_json(contracts::mcp_config_text(*bundle)).value();
  EXPECT_EQ(wire::to_json(config),
            R"({"mcpServers":{"files":{"type":"stdio","command":"python3",)"
            R"("args":["server.py","arg-secret-1"],"env":{"KEY":"env-secret-2"}}}})");
}

}  // namespace
}  // namespace paddock::api
