// What a controller, or a port that is none, says of whether it takes work.
#include "cli/client/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/node.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;

TEST(Readiness, IsWhatTheAnswerSays) {
  EXPECT_TRUE(readiness_of(200, contracts::readiness(true)).ok());
  const Status not_ready = readiness_of(503, contracts::readiness(false));
  EXPECT_EQ(not_ready.error().reason, "CONTROLLER_NOT_READY");
  EXPECT_THAT(not_ready.error().message, HasSubstr("503"));
  EXPECT_EQ(readiness_of(502, wire::Value()).error().reason, "CONTROLLER_NOT_READY");
}

TEST(Readiness, KeepsTheErrorThatTheAnswerNames) {
  const Status refused =
      readiness_of(400, *wire::parse_json(R"({"kind":"Status","status":"Failure","code":400,
          "message":"this port speaks TLS: ask by https://","reason":"BadRequest",
          "error":{"code":"TLS_REQUIRED"}})"));
  EXPECT_EQ(refused.error().reason, "TLS_REQUIRED");
  EXPECT_EQ(refused.error().message, "this port speaks TLS: ask by https://");
}

contracts::Node ready_node() {
  contracts::Node node;
  node.metadata.name = "vm";
  node.status.ready = true;
  return node;
}

Health with(std::vector<contracts::Node> nodes) {
  Health health;
  health.controller_ready = true;
  for (const contracts::Node& node : nodes) health.nodes.push_back(node_health(wire::encode(node)));
  return health;
}

TEST(Health, IsReadyWhereANodeBeginsRuns) {
  contracts::Node cordoned = ready_node();
  cordoned.spec.unschedulable = true;
  EXPECT_TRUE(with({ready_node()}).ready());
  EXPECT_TRUE(with({cordoned, ready_node()}).ready());
  EXPECT_FALSE(with({cordoned}).ready());
  EXPECT_EQ(why_no_node(with({cordoned})), "no node takes new runs: vm ready, SchedulingDisabled");
  EXPECT_FALSE(with({}).ready());
  EXPECT_EQ(why_no_node(with({})), "no node has registered");
}

TEST(Health, TellsNoNodesFromNodesThatNobodyListed) {
  Health health;
  EXPECT_TRUE(ready_document(health).find("nodes")->is_null());
  health.nodes_listed = true;
  EXPECT_TRUE(ready_document(health).find("nodes")->array()->empty());
}

TEST(Health, SaysOfEachNodeWhatKeepsRunsAway) {
  contracts::Node full = ready_node();
  full.status.conditions = {
      {contracts::kDiskPressure, "True", contracts::kNodeDiskFull.str(), "1 MiB is free", {}}};
  EXPECT_FALSE(with({full}).ready());
  EXPECT_EQ(node_text(with({full}).nodes[0]), "vm ready, DiskFull: 1 MiB is free");
  contracts::Node resting = ready_node();
  resting.status.cool_down.emplace().until = wire::Timestamp{WallTime{1}};
  EXPECT_FALSE(with({resting}).ready());
  resting.status.cool_down->until.reset();  // it is tried again
  EXPECT_TRUE(with({resting}).ready());
  contracts::Node gone = ready_node();
  gone.status.ready = false;
  gone.status.message = "its agent is silent";
  EXPECT_EQ(node_text(with({gone}).nodes[0]), "vm not ready: its agent is silent");
}

// Some runs tolerate it: those are what such nodes are for.
TEST(Health, ATaintKeepsNotAllAway) {
  contracts::Node tainted = ready_node();
  tainted.spec.taints = {{"team", "a"}};
  EXPECT_TRUE(with({tainted}).ready());
  EXPECT_EQ(node_text(with({tainted}).nodes[0]), "vm ready, Tainted");
}

TEST(Health, GoesByTheControllerWhereNodesAreNotShown) {
  Health health = with({});
  health.nodes_hidden = "this token lacks the scope nodes:read";
  EXPECT_TRUE(health.ready());
  EXPECT_EQ(why_no_node(health), "");
  EXPECT_EQ(ready_document(health).text("nodesNotShown"), health.nodes_hidden);
  health.controller_ready = false;
  EXPECT_FALSE(health.ready());
}

}  // namespace
}  // namespace paddock::cli
