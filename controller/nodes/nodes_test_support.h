// A node that is enrolled, its runs and its calls, over a store in memory. For tests only.
#pragma once

#include <gtest/gtest.h>

#include "controller/nodes/registry.h"
#include "controller/nodes/synchronize.h"
#include "controller/store/run_writes.h"

namespace paddock::nodes {

inline constexpr const char* kIdentity = "identity-of-this-agent-32-characters";

class NodesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(store::Store::open({})).value();
    ASSERT_TRUE(enroll_as(kIdentity).ok());
  }
  Result<contracts::EnrollAnswer> enroll_as(const std::string& identity,
                                            const std::string& node = "n1") {
    contracts::EnrollRequest request;
    request.identity = identity;
    return enroll(*store_, node, request, clock_.wall(), random_);
  }
  contracts::Run place(const std::string& name, const std::string& node = "n1") {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "default";
    run.metadata.uid = "uid-" + name;
    run.spec.command.argv = {"true"};
    const Status done = store_->write([&](store::WriteTxn& txn) -> Status {
      TRY(store::create_run(txn, run, runs::admit(run, clock_.wall())));
      ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, node, clock_.wall()));
      return store::save_run(txn, run, std::move(events));
    });
    EXPECT_TRUE(done.ok());
    return run;
  }
  contracts::Run run(const std::string& uid) {
    contracts::Run found;
    const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(found, txn.run_by_uid(uid));
      return {};
    });
    EXPECT_TRUE(read.ok());
    return found;
  }
  std::vector<std::string> event_types(const std::string& uid) {
    std::vector<std::string> types;
    const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto events, txn.run_events(uid, 0, 0));
      for (const auto& event : events) types.push_back(event.type);
      return {};
    });
    EXPECT_TRUE(read.ok());
    return types;
  }
  contracts::Node node() {
    contracts::Node found;
    const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(found, txn.get<contracts::Node>({"", "n1"}));
      return {};
    });
    EXPECT_TRUE(read.ok());
    return found;
  }
  Result<contracts::SyncAnswer> call(std::vector<contracts::RunReport> reports = {}) {
    contracts::SyncRequest request;
    request.process = "process-1";
    request.generation = 1;
    request.runs = std::move(reports);
    return synchronize(*store_, leases_, "n1", request, now(clock_));
  }
  static contracts::RunReport report(const std::string& uid, int64_t first_seq, int64_t last_seq) {
    contracts::RunReport made;
    made.run_uid = uid;
    made.attempt = 1;
    made.phase = contracts::RunPhase::kRunning;
    for (int64_t seq = first_seq; seq <= last_seq; ++seq) {
      made.output.push_back({seq, seq, "stdout", base64(cat("line ", seq, "\n"))});
    }
    return made;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  LeaseTable leases_{clock_.mono()};
  std::unique_ptr<store::Store> store_;
};

}  // namespace paddock::nodes
