// What Kubernetes' tools read of objects beside their phase: conditions, columns, whom a refusal is
// about.
#include <gmock/gmock.h>

#include "common/contracts/protocol.h"
#include "controller/api/agent_api_test_support.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;

class Conditions : public AgentApiTest {};

TEST_F(Conditions, AtEveryEndARunIsFinishedAndItsExitCodeIsAColumn) {
  const std::string uid = placed("r");
  EXPECT_EQ(condition(run("r"), "Finished"), "");
  contracts::SyncRequest said = request();
  contracts::RunReport& report = said.runs.emplace_back();
  report.run_uid = uid;
  report.attempt = 1;
  report.outcome = contracts::RunOutcome{.phase = contracts::RunPhase::kFailed};
  report.outcome->result.emplace().rc = 3;
  ASSERT_EQ(tell(said).status, 200);
  EXPECT_EQ(condition(run("r"), "Finished"), "True Failed");
  ASSERT_EQ(call("POST", kRuns, run_text("c")).status, 201);
  call("POST", cat(kRuns, "/c/cancel"));
  EXPECT_EQ(condition(run("c"), "Finished"), "True Canceled");
  Request table = request_of("GET", kRuns, admin_);
  table.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const Answer rows = send(table);
  EXPECT_EQ(rows.body.find("columnDefinitions")->array()->at(2).text("name"), "RC");
  const auto cell = [&](size_t row) {
    return *rows.body.find("rows")->array()->at(row).find("cells")->array()->at(2).string();
  };
  EXPECT_EQ(cell(0), "<none>");
  EXPECT_EQ(cell(1), "3");
}

TEST_F(Conditions, ARefusalNamesTheObjectThatItIsAbout) {
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  const Answer twice = call("POST", kRuns, run_text("r"));
  EXPECT_EQ(twice.body.text("details.name"), "r") << twice.text;
  EXPECT_EQ(twice.body.text("details.kind"), "runs");
  const Answer pod = call("GET", "/api/v1/namespaces/default/pods/none");
  EXPECT_EQ(pod.body.text("details.name"), "none") << pod.text;
  EXPECT_EQ(pod.body.text("details.kind"), "pods");
  const Answer odd = call("POST", kRuns, R"({"metadata":{"name":7}})");
  EXPECT_EQ(odd.status, 400);
  EXPECT_EQ(call("POST", kRuns, "[]").status, 400);
}

TEST_F(Conditions, ARunThatItsNodeHasNotBegunSaysSo) {
  placed("r");
  const Answer waits = run("r");
  EXPECT_EQ(waits.body.text("status.reason"), "WAITING_FOR_NODE");
  EXPECT_THAT(waits.body.text("status.message"), HasSubstr("n1"));
}

TEST_F(Conditions, NodesSayWhetherTheyAreReadyAsACondition) {
  join();
  const Answer ready = call("GET", cat(kNodes, "/n1"));
  EXPECT_EQ(condition(ready, "Ready"), "True LEASE_HELD");
  EXPECT_EQ(*ready.body.at("status.protocolVersion")->integer(), contracts::kProtocolVersion);
  contracts::SyncRequest full = request();
  contracts::Condition pressure{"DiskPressure", "True", "DISK_FULL", "no room", {}};
  full.status.emplace().conditions = {pressure, {"Ready", "True", "LIE", "", {}}};
  ASSERT_EQ(tell(full).status, 200);
  EXPECT_EQ(condition(call("GET", cat(kNodes, "/n1")), "Ready"), "False DISK_FULL");
}

}  // namespace
}  // namespace paddock::api
