// Tests of what an agent and its runs are told, and what everybody sees of that.
#pragma once

#include <string>
#include <string_view>

#include "controller/api/watch_test_support.h"

namespace paddock::api {

// One agent, n1, that speaks for itself: it joins, reports and is given runs.
class AgentApiTest : public WatchTest {
 protected:
  Answer tell(const contracts::SyncRequest& request, const std::string& protocol = "2") {
    Request post = request_of("POST", cat(kNodes, "/n1/synchronize"), credential_);
    if (!protocol.empty()) post.headers["paddock-agent-protocol"] = protocol;
    return send(post, wire::encode_json(request));
  }
  static contracts::SyncRequest request() {
    contracts::SyncRequest out;
    out.process = "process-1";
    out.generation = 1;
    return out;
  }
  void join() {
    const std::string token =
        call("POST", cat(kNodes, "/n1/enroll-token"), "{}").body.text("token");
    const Answer joined = send(request_of("POST", cat(kNodes, "/n1/enroll"), token),
                               R"({"identity":"identity-of-this-agent-32-characters"})");
    credential_ = joined.body.text("credential");
    contracts::SyncRequest hello = request();
    hello.status.emplace().capacity = {4, {1LL << 33}, {1LL << 40}, 4};
    ASSERT_EQ(tell(hello).status, 200);
  }
  // Placed on n1; its uid.
  std::string placed(const std::string& name, const std::string& metadata = {}) {
    if (credential_.empty()) join();
    std::string text = run_text(name);
    if (!metadata.empty()) text.replace(text.find("\"name\""), 0, metadata + ",");
    const Answer made = call("POST", kRuns, text);
    EXPECT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(reconciler_.tick(nodes::now(clock_))->bound, 1);
    return made.body.text("metadata.uid");
  }
  Answer end_on_node(const std::string& uid) {
    contracts::SyncRequest said = request();
    contracts::RunReport& report = said.runs.emplace_back();
    report.run_uid = uid;
    report.attempt = 1;
    report.outcome = contracts::RunOutcome{.phase = contracts::RunPhase::kCanceled};
    return tell(said);
  }
  std::string assigned() { return wire::to_json(*tell(request()).body.find("runs")); }
  Answer run(const std::string& name) { return call("GET", cat(kRuns, "/", name)); }
  // Its status and reason; empty: the object has none of this type.
  static std::string condition(const Answer& answer, std::string_view type) {
    for (const wire::Value& each : *answer.body.at("status.conditions")->array())
      if (each.text("type") == type) return cat(each.text("status"), " ", each.text("reason"));
    return "";
  }
  std::string credential_;
};

}  // namespace paddock::api
