// Agents of the releases before and after this controller's.
#include <gmock/gmock.h>

#include "controller/api/agent_api_test_support.h"

namespace paddock::api {
namespace {

class AgentProtocol : public AgentApiTest {};

TEST_F(AgentProtocol, AgentsOfTheReleaseBeforeAndTheNextAreServed) {
  join();
  EXPECT_EQ(tell(request(), "").status, 200) << "the release before said no number";
  EXPECT_EQ(tell(request(), "1").status, 200);
  const Answer answer = tell(request(), "3");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.response.headers,
              testing::Contains(testing::Pair("paddock-controller-protocol", "2")));
  wire::Value more = wire::encode(request());
  more.set("saysMore", true);
  const auto send_more = [&](const char* protocol) {
    Request post = request_of("POST", cat(kNodes, "/n1/synchronize"), credential_);
    post.headers["paddock-agent-protocol"] = protocol;
    return send(post, wire::to_json(more)).status;
  };
  EXPECT_EQ(send_more("3"), 200);
  EXPECT_EQ(send_more("2"), 400);
}

TEST_F(AgentProtocol, AnAgentTooFarAheadIsRefusedByNameAndItsNodeSaysWhy) {
  join();
  const Answer refused = tell(request(), "4");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.reason(), "PROTOCOL_MISMATCH");
  const Answer node = call("GET", cat(kNodes, "/n1"));
  EXPECT_EQ(condition(node, "Ready"), "False PROTOCOL_MISMATCH");
  EXPECT_EQ(*node.body.at("status.protocolVersion")->integer(), 4);
  clock_.advance(Millis(60'000));
  ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  EXPECT_EQ(condition(call("GET", cat(kNodes, "/n1")), "Ready"), "False PROTOCOL_MISMATCH");
  EXPECT_EQ(tell(request(), "x").reason(), "PROTOCOL_INVALID");
  contracts::SyncRequest upgraded = request();
  upgraded.process = "process-2";
  upgraded.generation = 2;
  upgraded.status.emplace();
  ASSERT_EQ(tell(upgraded).status, 200);
  EXPECT_EQ(condition(call("GET", cat(kNodes, "/n1")), "Ready"), "True LEASE_HELD");
}

}  // namespace
}  // namespace paddock::api
