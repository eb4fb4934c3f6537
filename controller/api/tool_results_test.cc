#include "controller/api/api_test_support.h"
#include "controller/nodes/registry.h"
#include "controller/nodes/synchronize.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

// Agent runs `a` and `b` on node `n`, with what their programs write and are given.
class ToolResults : public ApiTest {
 protected:
  ToolResults() {
    make_workspace();
    EXPECT_TRUE(
        nodes::enroll(*store_, "n", {.identity = std::string(32, 'i')}, clock_.wall(), random_)
            .ok());
    for (const char* name : {"a", "b"}) start(name);
    call("POST", kRuns, run_text("plain"));
  }
  void start(const std::string& name) {
    const Answer made =
        call("POST", kRuns,
             cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")", name,
                 R"("},"spec":{"type":"agent","command":["agent","--stream"],"workspace":"w"}})"));
    ASSERT_EQ(made.status, 201) << made.text;
    uid_[name] = made.body.text("metadata.uid");
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", name}));
                      ASSIGN_OR_RETURN(auto events, runs::bind(run, "n", clock_.wall()));
                      return store::save_run(txn, run, std::move(events));
                    })
                    .ok());
  }
  contracts::RunReport report(const std::string& run) {
    contracts::RunReport out{.run_uid = uid_[run], .attempt = 1};
    out.phase = contracts::RunPhase::kRunning;
    return out;
  }
  contracts::SyncAnswer tell(std::vector<contracts::RunReport> reports = {}) {
    contracts::SyncRequest request{.process = "process-1", .generation = 1};
    request.runs = std::move(reports);
    auto answer = nodes::synchronize(*store_, leases_, "n", request, nodes::now(clock_));
    EXPECT_TRUE(answer.ok());
    return answer.value();
  }
  void says(const std::string& run, const std::string& text) {
    contracts::RunReport one = report(run);
    one.output.push_back({++seq_[run], 0, "stdout", base64(text)});
    tell({one});
  }
  void asks(const std::string& run, const std::string& id) {
    says(run, cat(R"({"type":"tool_use","id":")", id, "\",\"name\":\"ask\"}\n"));
  }
  // What is on its way to the program.
  std::vector<contracts::RunInput> inputs(const std::string& run) {
    for (const auto& each : tell().runs)
      if (each.run_uid == uid_[run]) return each.inputs;
    return {};
  }
  Answer answer(const std::string& run, const std::string& body) {
    return call("POST", cat(kRuns, "/", run, "/tool-results"), body);
  }
  static std::string result(const std::string& id, const std::string& more = {}) {
    return cat(R"({"toolUseId":")", id, R"(","content":"42")", more, "}");
  }
  std::map<std::string, std::string> uid_;
  std::map<std::string, int64_t> seq_;
};

// proves: OD-55
TEST_F(ToolResults, OfAPendingIdBecomeOneLineForTheProgram) {
  asks("a", "t1");
  const Answer shown = call("GET", cat(kRuns, "/a"));
  EXPECT_EQ(shown.body.at("status.pendingToolUses")->array()->at(0).text("id"), "t1");
  const Answer ok = answer("a", result("t1", R"(,"isError":true)"));
  EXPECT_EQ(ok.status, 200);
  EXPECT_EQ(ok.text, "{\"ok\":true}\n");
  const auto given = inputs("a");
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].seq, 1);
  EXPECT_EQ(given[0].data,
            R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result",)"
            R"("tool_use_id":"t1","content":"42","is_error":true}]}})"
            "\n");
  EXPECT_EQ(call("GET", cat(kRuns, "/a")).body.at("status.pendingToolUses"), nullptr);
}

// proves: OD-56, OD-57, OD-58, OD-59, OD-80
TEST_F(ToolResults, OfAnyOtherIdAreRefusedAndNothingIsWritten) {
  asks("a", "t1");
  for (const auto& [run, id] : {std::pair{"a", "unknown"}, std::pair{"b", "t1"}}) {
    const Answer refused = answer(run, result(id));
    EXPECT_EQ(refused.status, 400) << run;
    EXPECT_EQ(refused.reason(), "BAD_REQUEST");
    EXPECT_EQ(refused.body.text("error.message"), "toolUseId is invalid");
    EXPECT_EQ(refused.body.text("error.details.reason"), "bad_tool_use_id");
  }
  EXPECT_TRUE(inputs("a").empty());
  EXPECT_TRUE(inputs("b").empty());
  EXPECT_EQ(answer("a", result("t1")).status, 200);
  EXPECT_EQ(answer("a", result("t1")).status, 400);
  EXPECT_EQ(inputs("a").size(), 1u);
  asks("a", "t1");  // an answered one is not pending again
  EXPECT_EQ(answer("a", result("t1")).status, 400);
  EXPECT_EQ(inputs("a").size(), 1u);
}

// proves: OD-60
TEST_F(ToolResults, CannotNameAnotherRunInTheirBody) {
  asks("a", "t1");
  const Answer refused = answer("a", result("t1", R"(,"runId":"b")"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body.text("error.message"), "runId must match the path run id");
  EXPECT_TRUE(inputs("a").empty());
  EXPECT_TRUE(inputs("b").empty());
  EXPECT_EQ(answer("a", result("t1", R"(,"runId":"a")")).status, 200);
}

// proves: OD-61
TEST_F(ToolResults, HaveADifferentAnswerForEachReasonThatTheyCannotBeTaken) {
  EXPECT_EQ(answer("none", result("t")).status, 404);
  const Answer plain = answer("plain", result("t"));
  EXPECT_EQ(plain.status, 400);
  EXPECT_EQ(plain.body.text("error.message"), "run does not support interactive tool results");
  for (const char* body : {R"({"content":"x"})", R"({"toolUseId":"","content":"x"})",
                           R"({"toolUseId":5,"content":"x"})"}) {
    EXPECT_EQ(answer("a", body).body.text("error.message"), "toolUseId is required") << body;
  }
  EXPECT_EQ(answer("a", R"({"toolUseId":"t"})").status, 400);
  asks("a", "t1");
  contracts::RunReport closed = report("a");
  closed.stdin_closed = true;
  tell({closed});
  const Answer shut = answer("a", result("t1"));
  EXPECT_EQ(shut.status, 410);
  EXPECT_EQ(shut.reason(), "GONE");
  EXPECT_EQ(shut.body.text("error.details.reason"), "stdin_closed");
  contracts::RunReport ended = report("b");
  ended.outcome = contracts::RunOutcome{.phase = contracts::RunPhase::kSucceeded};
  tell({ended});
  const Answer over = answer("b", result("t1"));
  EXPECT_EQ(over.status, 410);
  EXPECT_EQ(over.body.text("error.details.reason"), "run_terminal");
}

// The next attempt is another program, which asks anew: what the former one was told would be lost.
TEST_F(ToolResults, AreNotTakenBetweenTwoAttempts) {
  asks("a", "t1");
  const auto change = [&](const auto& how) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", "a"}));
                      return store::save_run(txn, run, how(run));
                    })
                    .ok());
  };
  change([&](contracts::Run& run) {
    run.spec.retry.emplace();
    return runs::lose_node(run, "it is silent", clock_.wall());
  });
  const Answer waiting = call("GET", cat(kRuns, "/a"));
  EXPECT_EQ(waiting.body.text("status.phase"), "Pending");
  EXPECT_EQ(waiting.body.at("status.pendingToolUses"), nullptr);
  const Answer refused = answer("a", result("t1"));
  EXPECT_EQ(refused.status, 410) << refused.text;
  EXPECT_EQ(refused.reason(), "GONE");
  EXPECT_EQ(refused.body.text("error.details.reason"), "attempt_over");
  change([&](contracts::Run& run) { return runs::bind(run, "n", clock_.wall()).value(); });
  EXPECT_EQ(answer("a", result("t1")).body.text("error.details.reason"), "bad_tool_use_id");
  auto again = report("a");
  again.attempt = 2;
  again.output.push_back(
      {1, 0, "stdout", base64("{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"ask\"}\n")});
  tell({again});
  EXPECT_EQ(answer("a", result("t1")).status, 200);
  EXPECT_EQ(inputs("a").size(), 1u);
}

// proves: OD-59
TEST_F(ToolResults, AreDesiredStateUntilTheNodeSaysThatItWroteThem) {
  asks("a", "t1");
  asks("a", "t2");
  const std::string before = tell().version;
  answer("a", result("t1"));
  answer("a", result("t2"));
  EXPECT_NE(tell().version, before) << "a held call is answered";
  EXPECT_EQ(inputs("a").size(), 2u);
  EXPECT_EQ(inputs("a").size(), 2u) << "a lost answer is given again";
  contracts::RunReport wrote = report("a");
  wrote.input_acked = 1;
  tell({wrote});
  ASSERT_EQ(inputs("a").size(), 1u);
  EXPECT_EQ(inputs("a")[0].seq, 2);
  wrote.input_acked = 2;
  tell({wrote});
  tell({wrote});
  EXPECT_TRUE(inputs("a").empty());
}

TEST_F(ToolResults, AreInTheAuditLogOnceAndWithoutTheirContent) {
  asks("a", "t1");
  EXPECT_EQ(answer("a", R"({"toolUseId":"t1","content":"the-content","isError":true})").status,
            200);
  EXPECT_EQ(answer("a", result("t1")).status, 400);
  const Answer told = call("GET", "/audit?type=tool.result");
  const auto& items = *told.body.find("items")->array();
  ASSERT_EQ(items.size(), 1u) << told.text;
  EXPECT_EQ(items[0].text("object"), "runs/a");
  EXPECT_EQ(items[0].text("session_id"), uid_["a"]);
  EXPECT_EQ(items[0].text("details.toolUseId"), "t1");
  EXPECT_EQ(items[0].text("details.isError"), "true");
  EXPECT_EQ(told.text.find("the-content"), std::string::npos);
}

// A restored backup knows of fewer lines than the node wrote.
TEST_F(ToolResults, GoBehindTheLastLineThatTheirNodeWrote) {
  auto ahead = report("a");
  ahead.input_acked = 7;
  tell({ahead});
  asks("a", "t1");
  EXPECT_EQ(answer("a", result("t1")).status, 200);
  ASSERT_EQ(inputs("a").size(), 1u);
  EXPECT_EQ(inputs("a")[0].seq, 8);
  auto absurd = report("b");
  absurd.input_acked = std::numeric_limits<int64_t>::max();
  tell({absurd});
  asks("b", "t1");
  EXPECT_EQ(answer("b", result("t1")).status, 200);
  EXPECT_EQ(inputs("b").at(0).seq, 1) << "what cannot be is not believed";
}

}  // namespace
}  // namespace paddock::api
