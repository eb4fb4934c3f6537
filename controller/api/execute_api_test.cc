// POST /execute: what is decided before a node is needed, that none is said, and what is recorded.
#include "common/contracts/snippet_report.h"
#include "common/crypto/digest.h"
#include "controller/api/node_test_support.h"

namespace paddock::api {
namespace {

class Execute : public NodeApiTest {
 protected:
  Answer execute(const std::string& bytes) { return call("POST", "/execute", bytes); }
  // A node that takes one call and brings this answer.
  Answer execute_on_node(const std::string& bytes, contracts::CallAnswer brings) {
    return while_node_brings(std::move(brings), [&] { return execute(bytes); });
  }
  std::vector<contracts::AuditEvent> recorded() {
    const auto list = wire::decode<contracts::AuditList>(call("GET", "/audit").body);
    EXPECT_TRUE(list.ok());
    return list->items;
  }
  std::string metrics() { return call("GET", "/metrics").text; }
  std::string field_of(const Answer& answer) const {
    const wire::Value* causes = answer.body.at("error.details.causes");
    return causes == nullptr || causes->array()->empty() ? ""
                                                         : causes->array()->at(0).text("field");
  }
};

// proves: ELV-09, ELV-10, ELV-11
TEST_F(Execute, TellsTheCallerWhatIsWrongAs422) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({})", "code"},
      {R"({"code":""})", "code"},
      {R"({"code":"x","timeout_seconds":0})", "timeout_seconds"},
      {R"({"code":"x","timeout_seconds":61})", "timeout_seconds"},
      {R"({"code":"x","timeout_seconds":"x"})", "timeout_seconds"},
      {R"({"code":"x","memory_mb":63})", "memory_mb"},
      {R"({"code":"x","memory_mb":513})", "memory_mb"},
      {R"({"code":"x","input_data":[1]})", "input_data"},
      {R"({"code":"x","cod":1})", "cod"}};
  for (const auto& [bytes, field] : wrong) {
    const Answer answer = execute(bytes);
    EXPECT_EQ(answer.status, 422) << bytes;
    EXPECT_EQ(field_of(answer), field) << bytes;
  }
  for (const char* bytes : {"", "{", "[]", R"({"code":"x","code":"y"})"})
    EXPECT_EQ(execute(bytes).status, 422) << bytes;
}

// proves: ELV-07, ELV-08
TEST_F(Execute, AnswersWhatNeedsNoNode) {
  const Answer language = execute(R"({"code":"x","language":"Ruby"})");
  EXPECT_EQ(language.status, 200);
  EXPECT_EQ(language.body.text("error"), "Unsupported language: Ruby. Only 'python' is supported.");
  const Answer large = execute(cat(R"({"code":")", std::string(100'001, 'x'), "\"}"));
  EXPECT_EQ(large.body.text("error"), "Code exceeds maximum length of 100000 bytes.");
  EXPECT_EQ(large.body.find("exit_code")->integer()[0], -1);
}

TEST_F(Execute, SaysThatThereIsNoNodeAndThatItMayBeTriedAgain) {
  const Answer answer = execute(R"({"code":"x"})");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.reason(), "NO_NODE");
  EXPECT_EQ(*answer.body.at("error.retryable")->boolean(), true);
}

// proves: ELV-80
TEST_F(Execute, HoldsTheOperatorsCeilingByRefusing) {
  services_.execute.max_memory_mb = 128;
  EXPECT_EQ(field_of(execute(R"({"code":"x","memory_mb":129})")), "memory_mb");
  EXPECT_EQ(execute(R"({"code":"x","memory_mb":128})").reason(), "NO_NODE");
}

// What a node says is passed on as far as any honest one has to say something.
TEST_F(Execute, PassesOnSoMuchOfANodesOutput) {
  contracts::SnippetReport report;
  report.answer.out = std::string(size_t{40} << 20, 'x');
  const Answer large = execute_on_node(R"({"code":"x"})", {{}, wire::encode(report), {}});
  EXPECT_EQ(large.status, 200);
  EXPECT_LT(large.text.size(), (size_t{8} << 20) + 1000);
  EXPECT_NE(large.text.find(" left out]"), std::string::npos) << "the end says so";
}

TEST_F(Execute, TakesNoCodeOfANodeThatIsNone) {
  const Answer failed = execute_on_node(
      R"({"code":"x"})", {{}, {}, contracts::CallFailure{"EVIL\r\nSet-Cookie: a=b", "no", {}}});
  EXPECT_EQ(failed.status, 503);
  EXPECT_EQ(failed.reason(), "NODE_CODE_INVALID");
}

TEST_F(Execute, IsRecordedByDigestWithWhatItsSandboxStopped) {
  contracts::SnippetReport report;
  report.warm = true;
  report.answer.err = "printed";
  report.result.emplace();
  report.result->status = contracts::SandboxStatus::kFailed;
  report.result->rc = 3;
  report.result->denials = {{.what = "connect", .target = "192.0.2.1:80", .rule = "network"}};
  const Answer answer =
      execute_on_node(R"json({"code":"hidden()","input_data":{"a":"hidden too"}})json",
                      {{}, wire::encode(report), {}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.text("stderr"), "printed");
  EXPECT_EQ(answer.body.find("warm"), nullptr);  // of no concern to its clients
  const auto events = recorded();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, "capability.denied");
  EXPECT_EQ(events[0].details.at("target"), "192.0.2.1:80");
  const contracts::AuditEvent& end = events[1];
  EXPECT_EQ(end.type, "execute.request");
  EXPECT_EQ(end.subject, "admin");
  EXPECT_EQ(end.reason, "FAILED");
  EXPECT_EQ(end.details.at("codeSha256"), crypto::sha256_hex("hidden()"));
  EXPECT_EQ(end.details.at("rc"), "3");
  EXPECT_EQ(end.details.at("node"), "n1");
  EXPECT_EQ(end.details.at("start"), "warm");
  EXPECT_FALSE(end.details.at("token").empty());
  EXPECT_EQ(end.request_id, events[0].request_id);
  EXPECT_EQ(call("GET", "/audit").text.find("hidden"), std::string::npos);
  const std::string text = metrics();
  for (const char* line : {"paddock_execute_total{outcome=\"failed\"} 1\n",
                           "paddock_execute_starts_total{start=\"warm\"} 1\n",
                           "paddock_execute_seconds_bucket{le=\"+Inf\"} 1\n",
                           "paddock_execute_seconds_count 1\n", "paddock_execute_running 0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST_F(Execute, TakesTheAnswerOfAnAgentThatIsOlderThanItsController) {
  contracts::ExecuteAnswer older;
  older.success = true;
  older.exit_code = 0;
  older.out = "2\n";
  const Answer answer = execute_on_node(R"({"code":"x"})", {{}, wire::encode(older), {}});
  EXPECT_EQ(answer.body.text("stdout"), "2\n");
  EXPECT_EQ(recorded().at(0).reason, "OK");
  const Answer nonsense = execute_on_node(R"({"code":"x"})", {{}, "nonsense", {}});
  EXPECT_EQ(nonsense.reason(), "UNEXPECTED_ANSWER");
}

TEST_F(Execute, IsRecordedThoughItNeverRan) {
  execute(R"({"code":"x","language":"ruby"})");
  execute(R"({"code":"x"})");
  execute(R"({"code":""})");  // no request at all
  contracts::SnippetReport refused;
  refused.answer = contracts::refused_answer("Blocked import: os (line 1)", {"Blocked import: os"});
  execute_on_node(R"({"code":"import os"})", {{}, wire::encode(refused), {}});
  execute_on_node(R"({"code":"x"})",
                  {{}, {}, contracts::CallFailure{"LAUNCHER_LOST", "it is", {}}});
  const auto events = recorded();
  std::vector<std::string> reasons;
  for (const auto& event : events) reasons.push_back(cat(event.type, " ", event.reason));
  EXPECT_EQ(reasons,
            (std::vector<std::string>{"execute.request REFUSED", "execute.request NO_NODE",
                                      "execute.request REFUSED", "execute.request LAUNCHER_LOST"}));
  EXPECT_EQ(events.at(2).details.at("message"), "Blocked import: os (line 1)");
  const std::string text = metrics();
  for (const char* line : {"{outcome=\"refused\"} 2\n", "{outcome=\"no_node\"} 1\n",
                           "{outcome=\"error\"} 1\n", "paddock_execute_seconds_count 0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

}  // namespace
}  // namespace paddock::api
