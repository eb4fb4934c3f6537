// What nodes and runs use, as agents tell it and as `paddock top` and `kubectl top` ask for it.
#include "controller/api/node_test_support.h"

namespace paddock::api {
namespace {

constexpr const char* kMetrics = "/apis/metrics.k8s.io/v1beta1";

class Usage : public NodeApiTest {
 protected:
  void SetUp() override {
    credential_ = enroll();
    ASSERT_EQ(sync(R"("status":{"ready":true,"capacity":{"cpu":4,"memory":"8Gi"}})").status, 200);
  }
  Answer sync(const std::string& more) {
    return send(request_of("POST", cat(kNodes, "/n1/synchronize"), credential_),
                cat(R"({"session":"process-1",)", more, "}"));
  }
  Answer tell_of(const std::string& uid, const std::string& use) {
    return sync(cat(R"("usage":{"node":{"cpuMilli":1500,"memory":"1048576"},"runs":[{"runUid":")",
                    uid, R"(","attempt":1,"use":)", use, "}]}"));
  }
  Answer pods(const std::string& query = {}) { return call("GET", cat(kMetrics, "/pods", query)); }
  std::string credential_;
};

TEST_F(Usage, OfARunAndItsNodeIsShownInTheFormOfKubernetes) {
  const std::string uid = place("train");
  ASSERT_EQ(tell_of(uid, R"({"cpuMilli":1250,"memory":"4096","tasks":3})").status, 200);
  const Answer all = pods();
  ASSERT_EQ(all.status, 200) << all.text;
  EXPECT_EQ(all.body.text("kind"), "PodMetricsList");
  const wire::Value& one = all.body.at("items")->array()->front();
  EXPECT_EQ(one.text("metadata.name"), "train");
  EXPECT_EQ(one.text("metadata.labels.team"), "train");
  EXPECT_EQ(wire::to_json(*one.find("containers")),
            R"([{"name":"main","usage":{"cpu":"1250m","memory":"4096","tasks":"3"}}])");
  const Answer node = call("GET", cat(kMetrics, "/nodes/n1"));
  EXPECT_EQ(wire::to_json(*node.body.find("usage")), R"({"cpu":"1500m","memory":"1048576"})");
  EXPECT_EQ(call("GET", cat(kMetrics, "/namespaces/default/pods/train")).status, 200);
  EXPECT_EQ(call("GET", "/api/v1/nodes/n1").body.text("status.allocatable.cpu"), "4");
  EXPECT_EQ(call("GET", "/api/v1/nodes").body.text("kind"), "NodeList");
}

TEST_F(Usage, IsShownOfRunsThatRunAndWereChosen) {
  const std::string uid = place("train");
  ASSERT_EQ(tell_of(uid, R"({"cpuMilli":1})").status, 200);
  const auto count = [&](const std::string& query) {
    return pods(query).body.at("items")->array()->size();
  };
  EXPECT_EQ(count("?labelSelector=team=train"), 1U);
  EXPECT_EQ(count("?labelSelector=team=other"), 0U);
  EXPECT_EQ(count("?fieldSelector=spec.nodeName=n2"), 0U);
  EXPECT_EQ(call("GET", cat(kMetrics, "/namespaces/other/pods")).body.at("items")->array()->size(),
            0U);
  const Status ended = store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run run, txn.get<contracts::Run>({"default", "train"}));
    run.status.phase = contracts::RunPhase::kSucceeded;
    return store::save_run(txn, run, {});
  });
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(count(""), 0U) << "it has ended";
}

TEST_F(Usage, NothingIsShownThatNobodyMeasured) {
  (void)place("quiet");
  EXPECT_EQ(pods().body.at("items")->array()->size(), 0U);
  EXPECT_EQ(call("GET", cat(kMetrics, "/nodes")).body.at("items")->array()->size(), 0U);
  const Answer one = call("GET", cat(kMetrics, "/namespaces/default/pods/quiet"));
  EXPECT_EQ(one.status, 404);
  EXPECT_EQ(one.reason(), "USE_NOT_MEASURED");
  EXPECT_EQ(call("GET", cat(kMetrics, "/namespaces/default/pods/none")).reason(), "RUN_NOT_FOUND");
  EXPECT_EQ(call("GET", cat(kMetrics, "/nodes/none")).reason(), "NODE_NOT_FOUND");
}

TEST_F(Usage, ANodesNonsenseIsRefusedOrNotShown) {
  const std::string uid = place("train");
  for (const char* use : {R"({"cpuMilli":-1})", R"({"cpuMilli":"NaN"})", R"({"cpuMilli":1.5})",
                          R"({"memory":"-1"})", R"({"tasks":-4})", R"({"cpuMilli":1e30})"})
    EXPECT_EQ(tell_of(uid, use).status, 400) << use;
  ASSERT_EQ(tell_of(uid, R"({"cpuMilli":4001,"memory":"9Gi"})").status, 200);
  EXPECT_EQ(pods().body.at("items")->array()->size(), 0U) << "more than the node has";
  ASSERT_EQ(tell_of("uid-of-somebody-else", R"({"cpuMilli":7})").status, 200);
  EXPECT_EQ(pods().body.at("items")->array()->size(), 0U);
}

TEST_F(Usage, IsForThoseWhoMayReadRunsOrNodes) {
  ASSERT_EQ(tell_of(place("train"), R"({"cpuMilli":1})").status, 200);
  const std::string other = add_token("other", {"runs:read"}, "other");
  const std::string nodes = add_token("nodes", {"nodes:read"});
  const auto asked = [&](const std::string& token, const std::string& what) {
    return send(request_of("GET", cat(kMetrics, what), token));
  };
  EXPECT_EQ(asked(other, "/pods").reason(), "NAMESPACE_DENIED");
  EXPECT_EQ(asked(other, "/namespaces/default/pods").reason(), "NAMESPACE_DENIED");
  EXPECT_EQ(asked(other, "/namespaces/other/pods").body.at("items")->array()->size(), 0U);
  EXPECT_EQ(asked(nodes, "/nodes").status, 200);
  EXPECT_EQ(asked(nodes, "/pods").reason(), "SCOPE_MISSING");
  EXPECT_EQ(asked("", "/pods").status, 401);
}

}  // namespace
}  // namespace paddock::api
