// Files of a run that runs: who may look, when, and what a node's answers are worth.
#include <algorithm>

#include "common/contracts/session_calls.h"
#include "controller/api/node_test_support.h"

namespace paddock::api {
namespace {

class RunFiles : public NodeApiTest {
 protected:
  void SetUp() override { enroll(); }
  // What a caller hears while the node takes one call and brings this answer.
  Answer ask(const std::string& what, contracts::CallAnswer brings) {
    return while_node_brings(std::move(brings),
                             [&] { return call("GET", cat(kRuns, "/r/files", what)); });
  }
  static contracts::CallAnswer answer_of(const contracts::FileAnswer& answer) {
    contracts::CallAnswer out;
    out.result = wire::encode(answer);
    return out;
  }
};

TEST_F(RunFiles, AreThoseOfARunThatRuns) {
  place("waits", contracts::RunPhase::kPreparing);
  EXPECT_EQ(call("GET", cat(kRuns, "/waits/files")).reason(), "RUN_NOT_RUNNING");
  place("over", contracts::RunPhase::kRunning);
  end_run("over");
  EXPECT_EQ(call("GET", cat(kRuns, "/none/files/x")).reason(), "RUN_NOT_FOUND");
  place("r", contracts::RunPhase::kRunning);
  EXPECT_EQ(call("GET", cat(kRuns, "/r/files/x?offset=-1")).reason(), "PARAMETER_INVALID");
}

TEST_F(RunFiles, AreForThoseWhoMayChangeRuns) {
  place("r", contracts::RunPhase::kRunning);
  const std::string reader = add_token("reader", {"runs:read"});
  EXPECT_EQ(send(request_of("GET", cat(kRuns, "/r/files/x"), reader)).reason(), "SCOPE_MISSING");
}

TEST_F(RunFiles, ComeInPartsWithTheSizeOfTheWhole) {
  place("r", contracts::RunPhase::kRunning);
  contracts::FileAnswer part;
  part.data = base64("abc");
  part.size = 10;
  part.version = "v";
  const Answer answer = ask("/out/x?offset=7", answer_of(part));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.text, "abc");
  EXPECT_EQ(order_.text("path"), "out/x");
  EXPECT_EQ(order_.text("uid"), "uid-r");
  const auto& headers = answer.response.headers;
  EXPECT_NE(
      std::ranges::find(headers, std::pair<std::string, std::string>("paddock-file-size", "10")),
      headers.end());
}

TEST_F(RunFiles, GoInAndTheAuditLogSaysWhich) {
  place("r", contracts::RunPhase::kRunning);
  const std::string target = cat(kRuns, "/r/files/config/x.json");
  const Answer answer =
      while_node_brings(answer_of({}), [&] { return call("PUT", target, "abc"); });
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(order_.text("uid"), "uid-r");
  EXPECT_EQ(order_.text("path"), "config/x.json");
  EXPECT_EQ(order_.text("operation"), "write");
  EXPECT_EQ(order_.text("data"), base64("abc"));
  const auto log = call("GET", "/audit?type=file.write");
  for (const char* part : {"runs/r", "config/x.json", "uid-r", "ba7816bf8f01cfea414140de5dae2223"})
    EXPECT_NE(log.text.find(part), std::string::npos) << part << " in " << log.text;
}

TEST_F(RunFiles, GoInOnlyWhereAndByWhomTheyMay) {
  place("waits", contracts::RunPhase::kPreparing);
  EXPECT_EQ(call("PUT", cat(kRuns, "/waits/files/x"), "abc").reason(), "RUN_NOT_RUNNING");
  EXPECT_EQ(call("PUT", cat(kRuns, "/none/files/x"), "abc").reason(), "RUN_NOT_FOUND");
  place("r", contracts::RunPhase::kRunning);
  const std::string large(contracts::kMostPutBytes + 1, 'x');
  EXPECT_EQ(call("PUT", cat(kRuns, "/r/files/x"), large).reason(), "BODY_TOO_LARGE");
  const std::string reader = add_token("reader", {"runs:read"});
  EXPECT_EQ(send(request_of("PUT", cat(kRuns, "/r/files/x"), reader)).reason(), "SCOPE_MISSING");
  contracts::CallAnswer unknown;
  unknown.failure = contracts::CallFailure{"CALL_UNKNOWN", "the node knows no such call", {}};
  EXPECT_EQ(while_node_brings(unknown, [&] { return call("PUT", cat(kRuns, "/r/files/x"), "a"); })
                .reason(),
            "RUN_FILES_NOT_SHOWN");
}

TEST_F(RunFiles, AnAgentOfAnEarlierReleaseIsNamed) {
  place("r", contracts::RunPhase::kRunning);
  contracts::CallAnswer unknown;
  unknown.failure = contracts::CallFailure{"CALL_UNKNOWN", "the node knows no such call", {}};
  const Answer answer = ask("/x", unknown);
  EXPECT_EQ(answer.reason(), "RUN_FILES_NOT_SHOWN");
}

TEST_F(RunFiles, ANodesNonsenseIsNoFile) {
  place("r", contracts::RunPhase::kRunning);
  contracts::FileAnswer without_size, no_base64;
  no_base64.size = 3;
  no_base64.data = "%%%";
  contracts::CallAnswer nothing;
  for (const auto& brings : {answer_of(without_size), answer_of(no_base64), nothing})
    EXPECT_EQ(ask("/x", brings).reason(), "UNEXPECTED_ANSWER");
}

}  // namespace
}  // namespace paddock::api
