// The API with a node in it, which a test plays itself. For tests only.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "controller/api/api_test_support.h"
#include "controller/calls/relay_test_support.h"
#include "controller/nodes/registry.h"

namespace paddock::api {

class NodeApiTest : public ApiTest {
 protected:
  // The credential of its agent; empty if it was refused.
  std::string enroll(const std::string& node = "n1") {
    contracts::EnrollRequest request;
    request.identity = "identity-of-this-agent-32-characters";
    const auto enrolled = nodes::enroll(*store_, node, request, clock_.wall(), random_);
    EXPECT_TRUE(enrolled.ok());
    return enrolled.ok() ? enrolled->credential : std::string();
  }
  // A run of `default` that n1 has.
  std::string place(const std::string& name,
                    contracts::RunPhase phase = contracts::RunPhase::kRunning) {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "default";
    run.metadata.uid = "uid-" + name;
    run.metadata.labels["team"] = name;
    const Status placed = store_->write([&](store::WriteTxn& txn) -> Status {
      TRY(store::create_run(txn, run, runs::admit(run, clock_.wall())));
      ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, "n1", clock_.wall()));
      run.status.phase = phase;
      return store::save_run(txn, run, std::move(events));
    });
    EXPECT_TRUE(placed.ok());
    return run.metadata.uid;
  }
  // What `ask` hears while n1 takes one call and brings this answer; `order_`: what it was asked.
  Answer while_node_brings(contracts::CallAnswer brings, const std::function<Answer()>& ask) {
    std::thread lane([&] {
      contracts::CallsRequest request;
      request.process = "process-1";
      request.wait_ms = 60'000;
      request.snippets.emplace();
      request.snippets->enabled = true;
      request.snippets->parallel = 1;
      const auto yes = [] { return true; };
      const auto told = calls::serve_here(*services_.calls, {"n1", "process-1", 0}, request, yes,
                                          DisconnectToken(), clock_);
      ASSERT_TRUE(told.ok() && told->call);
      order_ = told->call->payload;
      brings.id = told->call->id;
      request.answer = std::move(brings);
      request.wait_ms = 0;
      ASSERT_TRUE(calls::serve_here(*services_.calls, {"n1", "process-1", 0}, request, yes,
                                    DisconnectToken(), clock_)
                      .ok());
    });
    while (services_.calls->skills(clock_).empty()) std::this_thread::yield();
    Answer answer = ask();
    lane.join();
    return answer;
  }
  wire::Value order_;
};

}  // namespace paddock::api
