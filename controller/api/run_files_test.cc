// Files of a run that runs: who may look, when, and what a node's answers are worth.
#include <algorithm>
#include <thread>

#include "common/contracts/session_calls.h"
#include "controller/api/api_test_support.h"
#include "controller/nodes/registry.h"

namespace paddock::api {
namespace {

class RunFiles : public ApiTest {
 protected:
  void SetUp() override {
    contracts::EnrollRequest request;
    request.identity = "identity-of-this-agent-32-characters";
    ASSERT_TRUE(nodes::enroll(*store_, "n1", request, clock_.wall(), random_).ok());
  }
  void place(const std::string& name, contracts::RunPhase phase) {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "default";
    run.metadata.uid = "uid-" + name;
    const Status placed = store_->write([&](store::WriteTxn& txn) -> Status {
      TRY(store::create_run(txn, run, runs::admit(run, clock_.wall())));
      ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, "n1", clock_.wall()));
      run.status.phase = phase;
      return store::save_run(txn, run, std::move(events));
    });
    ASSERT_TRUE(placed.ok());
  }
  // What a caller hears while the node takes one call and brings this answer.
  Answer ask(const std::string& what, contracts::CallAnswer brings) {
    std::thread lane([&] {
      contracts::CallsRequest request;
      request.session = "session-1";
      request.wait_ms = 60'000;
      request.snippets.emplace();
      request.snippets->enabled = true;
      request.snippets->parallel = 1;
      const auto yes = [] { return true; };
      const auto told =
          services_.calls->serve({"n1", "session-1", 0}, request, yes, Client(), clock_);
      ASSERT_TRUE(told.ok() && told->call);
      order_ = told->call->payload;
      brings.id = told->call->id;
      request.answer = std::move(brings);
      request.wait_ms = 0;
      ASSERT_TRUE(
          services_.calls->serve({"n1", "session-1", 0}, request, yes, Client(), clock_).ok());
    });
    while (services_.calls->skills(clock_).empty()) std::this_thread::yield();
    Answer answer = call("GET", cat(kRuns, "/r/files", what));
    lane.join();
    return answer;
  }
  static contracts::CallAnswer answer_of(const contracts::FileAnswer& answer) {
    contracts::CallAnswer out;
    out.result = wire::encode(answer);
    return out;
  }
  wire::Value order_;
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
