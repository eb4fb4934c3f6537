// Commands in a run that runs: who may, when, what is recorded, and what a node's answers are
// worth.
#include <string>

#include "common/contracts/run_exec.h"
#include "controller/api/node_test_support.h"

namespace paddock::api {
namespace {

class RunCommands : public NodeApiTest {
 protected:
  static constexpr const char* kBody = R"({"command":["sh","-c","echo hi"],"commandId":"one"})";

  void SetUp() override { enroll(); }
  static std::string target(const std::string& run = "r") {
    return cat(kRuns, "/", run, "/commands");
  }
  Answer ask(contracts::CallAnswer brings, const std::string& body = kBody) {
    return while_node_brings(std::move(brings), [&] { return call("POST", target(), body); });
  }
  static contracts::CallAnswer failing(const char* reason, contracts::FailureKind kind) {
    contracts::CallAnswer out;
    out.failure = contracts::CallFailure{reason, "why", kind};
    return out;
  }
  static contracts::CallAnswer ending(int64_t rc) {
    contracts::SandboxResult result;
    result.status = rc == 0 ? contracts::SandboxStatus::kOk : contracts::SandboxStatus::kFailed;
    result.rc = rc;
    result.out = "hi\n";
    contracts::CallAnswer out;
    out.result = wire::encode(result);
    return out;
  }
  std::string log(const std::string& type) { return call("GET", cat("/audit?type=", type)).text; }
};

TEST_F(RunCommands, GoToTheNodeOfTheRunAndBringItsEnd) {
  place("r", contracts::RunPhase::kRunning);
  const Answer answer = ask(ending(7));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(*answer.body.find("exitCode")->integer(), 7);
  EXPECT_EQ(answer.body.text("stdout"), "hi\n");
  EXPECT_EQ(answer.body.text("commandId"), "one");
  EXPECT_EQ(order_.text("runUid"), "uid-r");
  EXPECT_EQ(order_.text("commandId"), "one");
  for (const char* word : {"stdinComes", "terminal"})  // which an older agent does not know
    EXPECT_EQ(order_.find(word), nullptr) << word;
}

TEST_F(RunCommands, OfANodeThatIsNewerThanWeAreBringTheirEndToo) {
  place("r", contracts::RunPhase::kRunning);
  contracts::CallAnswer newer = ending(7);
  newer.result.set("shape", "round");
  EXPECT_EQ(*ask(newer).body.find("exitCode")->integer(), 7);
}

TEST_F(RunCommands, AreRecordedWithTheirCallerAndTheirEnd) {
  place("r", contracts::RunPhase::kRunning);
  ask(ending(0));
  for (const char* part : {"uid-r/exec/one", "runs/r", "sh -c echo hi"})
    EXPECT_NE(log("command.start").find(part), std::string::npos) << part;
  EXPECT_NE(log("command.complete").find("uid-r/exec/one"), std::string::npos);
  ask(failing("RUN_NOT_RUNNING", contracts::FailureKind::kPrecondition));
  EXPECT_NE(log("command.refused").find("RUN_NOT_RUNNING"), std::string::npos);
}

TEST_F(RunCommands, AreOfARunThatRuns) {
  place("waits", contracts::RunPhase::kPreparing);
  EXPECT_EQ(call("POST", target("waits"), kBody).reason(), "RUN_NOT_RUNNING");
  EXPECT_EQ(call("POST", target("none"), kBody).reason(), "RUN_NOT_FOUND");
}

TEST_F(RunCommands, AreForThoseWhoMayChangeRuns) {
  place("r", contracts::RunPhase::kRunning);
  const std::string reader = add_token("reader", {"runs:read"});
  EXPECT_EQ(send(request_of("POST", target(), reader)).reason(), "SCOPE_MISSING");
}

TEST_F(RunCommands, SayWhyANodeTakesNone) {
  place("r", contracts::RunPhase::kRunning);
  using enum contracts::FailureKind;
  EXPECT_EQ(ask(failing("CALL_UNKNOWN", kPrecondition)).reason(), "RUN_EXEC_UNSUPPORTED");
  EXPECT_EQ(ask(failing("RUN_EXEC_UNSUPPORTED", kPrecondition)).reason(), "RUN_EXEC_UNSUPPORTED");
  EXPECT_EQ(ask(failing("TOO_MANY_COMMANDS", kExhausted)).reason(), "TOO_MANY_COMMANDS");
  contracts::CallAnswer nonsense;
  nonsense.result = wire::Value("nonsense");
  EXPECT_EQ(ask(nonsense).reason(), "UNEXPECTED_ANSWER");
}

// Nothing of the input is recorded, and nothing but its size decides.
TEST_F(RunCommands, BringTheirInputToTheNodeAndNowhereElse) {
  place("r", contracts::RunPhase::kRunning);
  const auto feeding = [](const std::string& input) {
    return cat(R"({"command":["cat"],"stdin":")", base64(input), R"("})");
  };
  EXPECT_EQ(ask(ending(0), feeding("hush hush")).status, 200);
  EXPECT_EQ(order_.text("stdin"), base64("hush hush"));
  for (const char* type : {"command.start", "command.complete"}) {
    EXPECT_EQ(log(type).find(base64("hush hush")), std::string::npos) << type;
    EXPECT_EQ(log(type).find("hush"), std::string::npos) << type;
  }
  constexpr size_t kMost = contracts::run_exec::kMostInputBytes;
  EXPECT_EQ(ask(ending(0), feeding(std::string(kMost, 'x'))).status, 200);
  for (const size_t more : {size_t{1}, size_t{2}, size_t{3}, size_t{4096}}) {
    const Answer refused = call("POST", target(), feeding(std::string(kMost + more, 'x')));
    EXPECT_EQ(refused.status, 400) << more;
    EXPECT_EQ(refused.reason(), "STDIN_TOO_LARGE") << more;
  }
  EXPECT_EQ(call("POST", target(), feeding(std::string(kMost * 2, 'x'))).reason(),
            "BODY_TOO_LARGE");
}

TEST_F(RunCommands, AreReadStrictly) {
  place("r", contracts::RunPhase::kRunning);
  for (const char* body :
       {"{}", R"({"command":[]})", R"({"command":[""]})", R"({"command":["a\u0000b"]})",
        R"({"command":["a"],"commandId":"A"})", R"({"command":["a"],"timeoutMs":0})",
        R"({"command":["a"],"timeoutMs":3600001})", R"({"command":["a"],"stdin":"@"})"})
    EXPECT_EQ(call("POST", target(), body).status, 400) << body;
  EXPECT_EQ(call("POST", target(), R"({"command":["a"],"env":{}})").reason(), "UNKNOWN_FIELD");
  EXPECT_EQ(call("POST", cat(target(), "/one/cancel")).reason(), "COMMAND_NOT_FOUND");
}

TEST_F(RunCommands, HaveATerminalWhoseOutputComes) {
  place("r", contracts::RunPhase::kRunning);
  const std::string body =
      R"({"command":["bash"],"commandId":"one","stdinComes":true,"terminal":{"rows":7,"columns":9}})";
  EXPECT_EQ(call("POST", target(), body).reason(), "PARAMETER_INVALID");
  FakeStream told;
  while_node_brings(ending(3), [&] {
    Answer answer = call("POST", cat(target(), "?stream=true"), body);
    answer.response.stream(told);
    return answer;
  });
  EXPECT_NE(told.text.find("\"exitCode\":3"), std::string::npos) << told.text;
  EXPECT_EQ(*order_.at("terminal.rows")->integer(), 7);
  EXPECT_EQ(*order_.find("timeMs")->integer(), contracts::run_exec::kMostTerminalTimeMs);
  EXPECT_NE(log("command.start").find("\"terminal\":\"true\""), std::string::npos);
  EXPECT_EQ(while_node_brings(failing("CALL_UNKNOWN", contracts::FailureKind::kPrecondition),
                              [&] {
                                return call(
                                    "POST", target(),
                                    R"({"command":["cat"],"commandId":"a","stdinComes":true})");
                              })
                .reason(),
            "RUN_EXEC_UNSUPPORTED");
}

// The answer to the piece that ends a command is easily lost with it, and is asked for again.
TEST_F(RunCommands, TheEndOfTheirInputIsTakenOfThoseThatHaveEndedToo) {
  place("r", contracts::RunPhase::kRunning);
  const Answer ended = ask(ending(0), R"({"command":["cat"],"commandId":"one","stdinComes":true})");
  ASSERT_EQ(ended.status, 200) << ended.text;
  const std::string stdin_of_one = cat(target(), "/one/stdin");
  const std::string end = R"({"seq":1,"end":true})";
  for (int i = 0; i < 2; ++i) {
    const Answer taken = call("POST", stdin_of_one, end);
    EXPECT_EQ(taken.status, 200) << taken.text;
    EXPECT_EQ(*taken.body.find("next")->integer(), 2);
  }
  EXPECT_EQ(call("POST", stdin_of_one, R"({"seq":1,"data":"YQ=="})").reason(), "COMMAND_NOT_FOUND")
      << "what nobody has read is not said to be taken";
  const std::string other = add_token("other", {"runs:read", "runs:write"});
  EXPECT_EQ(send(request_of("POST", stdin_of_one, other), end).reason(), "COMMAND_NOT_FOUND");
}

// One without input that comes is not kept among those, however its output comes.
TEST_F(RunCommands, OfThoseThatTakeNoInputNoneIsTakenAfterTheirEnd) {
  place("r", contracts::RunPhase::kRunning);
  FakeStream told;
  while_node_brings(ending(0), [&] {
    Answer answer = call("POST", cat(target(), "?stream=true"), kBody);
    answer.response.stream(told);
    return answer;
  });
  ASSERT_NE(told.text.find("\"exitCode\":0"), std::string::npos) << told.text;
  EXPECT_EQ(call("POST", cat(target(), "/one/stdin"), R"({"seq":1,"end":true})").reason(),
            "COMMAND_NOT_FOUND");
}

// A request that comes slowly is authorized when it begins, and its command starts at its end.
TEST_F(RunCommands, DoNotBeginWithATokenThatWasRevokedMeanwhile) {
  place("r", contracts::RunPhase::kRunning);
  contracts::CallsRequest full;
  full.process = "process-1";
  full.takes = false;  // so that the command waits
  full.wait_ms = 60'000;
  const auto lane = services_.calls->open(
      {"n1", "process-1", 0}, full, [] { return true; }, clock_);
  ASSERT_TRUE(lane.ok());
  const auto made =
      call("POST", "/admin/tokens", R"({"subject":"late","scopes":["runs:read","runs:write"]})");
  ASSERT_LT(made.status, 300) << made.text;
  Answer begun =
      send(request_of("POST", cat(target(), "?stream=true"), made.body.text("token")), kBody);
  ASSERT_EQ(begun.status, 200);
  EXPECT_LT(call("DELETE", cat("/admin/tokens/", made.body.text("id"))).status, 300);
  FakeStream told;
  begun.response.stream(told);
  EXPECT_NE(told.text.find("CANCELLED"), std::string::npos) << told.text;
}

// What is typed goes to a command that takes it, from whoever began it.
TEST_F(RunCommands, AreTypedToByWhoBeganThem) {
  place("r", contracts::RunPhase::kRunning);
  const std::string stdin_of_one = cat(target(), "/one/stdin");
  const std::string piece = R"({"seq":1,"data":"YQ=="})";
  EXPECT_EQ(call("POST", stdin_of_one, piece).reason(), "COMMAND_NOT_FOUND");
  const std::string other = add_token("other", {"runs:read", "runs:write"});
  // Whom its maker gave the same name, for one namespace.
  const std::string namesake = add_token("admin", {"runs:read", "runs:write"}, "default");
  const std::string reader = add_token("reader", {"runs:read"});
  const auto under_way = [&](const char* kind, const auto& look) {
    calls::CallOptions options;
    options.name = "uid-r/exec/one";
    options.kind = kind;
    options.caller = "admin";
    options.patience = Millis(60'000);
    options.queue_patience = Millis(60'000);
    options.arrival_patience = Millis(60'000);
    options.node = "n1";
    options.meanwhile = [&] {
      look();
      (void)services_.calls->stop("uid-r/exec/one");
    };
    EXPECT_EQ(services_.calls->call(std::move(options), clock_, random_).error().reason,
              "CALL_CANCELED");
  };
  under_way(contracts::kRunExec, [&] {
    EXPECT_EQ(call("POST", stdin_of_one, piece).reason(), "COMMAND_TAKES_NO_INPUT");
  });
  under_way(contracts::kRunAttach, [&] {
    EXPECT_EQ(send(request_of("POST", stdin_of_one, other), piece).reason(), "COMMAND_NOT_YOURS");
    EXPECT_EQ(send(request_of("POST", stdin_of_one, namesake), piece).reason(),
              "COMMAND_NOT_YOURS");
    EXPECT_EQ(send(request_of("POST", stdin_of_one, reader), piece).reason(), "SCOPE_MISSING");
    EXPECT_EQ(call("POST", cat(target(), "/two/stdin"), piece).reason(), "COMMAND_NOT_FOUND");
    for (const char* wrong : {"{}", R"({"seq":1})", R"({"seq":0,"data":"YQ=="})",
                              R"({"seq":1,"data":"@"})", R"({"seq":1,"terminal":{"rows":0}})"})
      EXPECT_EQ(call("POST", stdin_of_one, wrong).status, 400) << wrong;
  });
  EXPECT_EQ(call("POST", stdin_of_one, piece).reason(), "COMMAND_NOT_FOUND");
}

}  // namespace
}  // namespace paddock::api
