// How long runs held accelerators, from a node's report to /metrics.
#include "controller/api/metrics/device_time.h"

#include <gmock/gmock.h>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

using contracts::AcceleratorKind;
using testing::HasSubstr;

TEST(DeviceTimeMetrics, AreSecondsByNamespaceAndKind) {
  DeviceTimeMetrics metrics;
  EXPECT_THAT(metrics.text(), HasSubstr("# TYPE paddock_namespace_accelerator_seconds_total"));
  metrics.count({{"a", AcceleratorKind::kNvidia, Millis(1'500)},
                 {"a", AcceleratorKind::kApple, Millis(20)},
                 {"b", AcceleratorKind::kNvidia, Millis(0)}});
  metrics.count({{"a", AcceleratorKind::kNvidia, Millis(1'000)}});
  for (const char* line :
       {"{namespace=\"a\",kind=\"nvidia\"} 2.500\n", "{namespace=\"a\",kind=\"apple\"} 0.020\n",
        "{namespace=\"b\",kind=\"nvidia\"} 0.000\n"})
    EXPECT_THAT(metrics.text(), HasSubstr(line));
}

class DeviceTimeOfRuns : public ApiTest {
 protected:
  Answer as(const std::string& token, const std::string& what, const std::string& body) {
    return send(request_of("POST", cat(kNodes, "/n1/", what), token), body);
  }
  Answer tell(const contracts::SyncRequest& request) {
    return as(credential_, "synchronize", wire::encode_json(request));
  }
  void join() {
    const std::string token = as(admin_, "enroll-token", "{}").body.text("token");
    const Answer joined =
        as(token, "enroll", R"({"identity":"identity-of-this-agent-32-characters"})");
    credential_ = joined.body.text("credential");
    contracts::SyncRequest hello = request();
    contracts::NodeStatus& status = hello.status.emplace();
    status.capacity = {4, {1LL << 33}, {1LL << 40}, 4};
    status.devices = {{"nvidia", "0", ""}, {"nvidia", "1", ""}};
    ASSERT_EQ(tell(hello).status, 200);
  }
  static contracts::SyncRequest request() {
    contracts::SyncRequest out;
    out.process = "process-1";
    out.generation = 1;
    return out;
  }
  std::string credential_;
};

TEST_F(DeviceTimeOfRuns, IsCountedOnceHoweverOftenItsEndIsReported) {
  join();
  make_workspace();
  const Answer made = call(
      "POST", kRuns, run_text("r", R"(,"resources":{"accelerators":{"kind":"nvidia","count":2}})"));
  ASSERT_EQ(made.status, 201) << made.text;
  ASSERT_EQ(reconciler_.tick(nodes::now(clock_))->bound, 1);
  clock_.advance(Millis(5'000));
  contracts::SyncRequest ended = request();
  contracts::RunReport& report = ended.runs.emplace_back();
  report.run_uid = made.body.find("metadata")->text("uid");
  report.attempt = 1;
  report.outcome = contracts::RunOutcome{.phase = contracts::RunPhase::kSucceeded};
  report.outcome->result.emplace().usage.accelerator_ms = 8'250;
  for (int i = 0; i < 2; ++i) {
    const Answer told = tell(ended);
    ASSERT_EQ(told.status, 200) << told.text;
  }
  EXPECT_THAT(call("GET", "/metrics").text,
              HasSubstr("paddock_namespace_accelerator_seconds_total{namespace=\"default\",kind="
                        "\"nvidia\"} 8.250\n"));
}

}  // namespace
}  // namespace paddock::api
