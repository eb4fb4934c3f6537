// Explanations of policies over the API: of runs that the caller may read, and of policies to be.
#include <gmock/gmock.h>

#include "common/contracts/policy_explanation.h"
#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

constexpr const char* kExplain = "/apis/paddock.dev/v1alpha1/namespaces/default/policy/explain";

class PolicyExplain : public ApiTest {
 protected:
  PolicyExplain() {
    make_workspace();
    EXPECT_EQ(call("POST", kRuns, run_text("a")).status, 201);
  }
  std::string origin_of(const std::string& question, std::string_view field) {
    const Answer answer = call("POST", kExplain, question);
    const auto explained = wire::decode<contracts::PolicyExplanation>(answer.body);
    if (answer.status != 200 || !explained.ok()) return answer.text;
    for (const contracts::PolicyRule& rule : explained->rules) {
      if (rule.rule == field)
        return cat(rule.value, " ", wire::enum_name(rule.origin), " ", rule.source);
    }
    return "no such rule";
  }
};

TEST_F(PolicyExplain, OfARunAndOfAPolicy) {
  EXPECT_EQ(origin_of(R"({"run":"a"})", "limits.memory"), "8Gi profile compute");
  EXPECT_EQ(origin_of("{}", "limits.memory"), "8Gi profile command");
  EXPECT_EQ(origin_of(R"({"profile":"test"})", "limits.memory"), "512Mi profile test");
  EXPECT_EQ(origin_of(R"({"sandbox":{"limits":{"memory":"1Gi"}}})", "limits.memory"),
            "1Gi run spec.sandbox.limits.memory");
}

TEST_F(PolicyExplain, JudgesWhatAnEndedRunWasDenied) {
  const std::string question =
      R"({"sandbox":{"network":{"enabled":true,"allowDomains":["pypi.org"]}},"against":"a"})";
  EXPECT_EQ(call("POST", kExplain, question).reason(), "RUN_NOT_ENDED");
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", "a"}));
                    run.status.phase = contracts::RunPhase::kFailed;
                    run.status.result.emplace();
                    run.status.result->denials = {
                        {"network connect", "pypi.org:443", "", "network.enabled=false", "", 2},
                        {"network connect", "10.0.0.1:80", "", "network.enabled=false", "", 1}};
                    return txn.update(run);
                  })
                  .ok());
  const Answer answer = call("POST", kExplain, question);
  const auto explained = wire::decode<contracts::PolicyExplanation>(answer.body);
  ASSERT_TRUE(explained.ok()) << answer.text;
  ASSERT_EQ(explained->denials.size(), 2u);
  EXPECT_EQ(explained->denials[0].outcome, contracts::DenialOutcome::kAllowed);
  EXPECT_EQ(explained->denials[1].outcome, contracts::DenialOutcome::kDenied);
}

TEST_F(PolicyExplain, RefusesWhatItCannotAnswer) {
  const auto reason = [&](const std::string& question) {
    return call("POST", kExplain, question).reason();
  };
  EXPECT_EQ(reason(R"({"run":"b"})"), "RUN_NOT_FOUND");
  EXPECT_EQ(reason(R"({"against":"b"})"), "RUN_NOT_FOUND");
  EXPECT_EQ(reason(R"({"run":"a","profile":"test"})"), "INVALID_FIELD");
  EXPECT_EQ(reason(R"({"profile":"nothing"})"), "PROFILE_UNKNOWN");
  EXPECT_EQ(reason(R"({"what":"a"})"), "UNKNOWN_FIELD");
  const Answer bad = call("POST", kExplain, R"({"sandbox":{"limits":{"pids":0}}})");
  EXPECT_EQ(bad.status, 400);
  EXPECT_THAT(bad.text, testing::HasSubstr("sandbox.limits.pids"));
}

TEST_F(PolicyExplain, IsForWhoMayReadTheRuns) {
  const auto status = [&](const std::string& token) {
    return send(request_of("POST", kExplain, token), R"({"run":"a"})").status;
  };
  EXPECT_EQ(status(add_token("u", {"runs:read"}, "default")), 200);
  EXPECT_EQ(status(add_token("u", {"runs:read"}, "other")), 403);
  EXPECT_EQ(status(add_token("u", {"audit:read"})), 403);
  EXPECT_EQ(status(""), 401);
}

}  // namespace
}  // namespace paddock::api
