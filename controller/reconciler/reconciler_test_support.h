// A store with one node, a clock that the test moves, and what an agent and a caller would do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/nodes/drain_and_cordon.h"
#include "controller/nodes/registry.h"
#include "controller/nodes/synchronize.h"
#include "controller/reconciler/reconciler.h"
#include "controller/store/run_writes.h"

namespace paddock::reconciler {

using contracts::RunPhase;

class ReconcilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(store::Store::open({})).value();
    reconciler_.emplace(*store_, leases_, settings_);
    contracts::EnrollRequest request;
    request.identity = "identity-of-this-agent-32-characters";
    ASSERT_TRUE(nodes::enroll(*store_, "n1", request, clock_.wall(), random_).ok());
  }
  contracts::SyncAnswer heartbeat(const std::string& node = "n1",
                                  std::vector<contracts::RunReport> reports = {}) {
    contracts::EnrollRequest enrolment;
    enrolment.identity = "identity-of-this-agent-32-characters";
    if (node != "n1") {
      EXPECT_TRUE(nodes::enroll(*store_, node, enrolment, clock_.wall(), random_).ok());
    }
    contracts::SyncRequest request;
    request.process = "process-1";
    request.status.emplace().capacity.cpu = 4;
    request.runs = std::move(reports);
    auto answer = nodes::synchronize(*store_, leases_, node, request, nodes::now(clock_));
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? *answer : contracts::SyncAnswer();
  }
  void cancel(const std::string& uid) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(contracts::Run found, txn.run_by_uid(uid));
                      runs::Events events = runs::request_cancel(found, clock_.wall());
                      return store::save_run(txn, found, std::move(events));
                    })
                    .ok());
  }
  bool exists(const std::string& uid) {
    return store_
        ->read([&](store::ReadTxn& txn) -> Status {
          const auto found = txn.run_by_uid(uid);
          return found.ok() ? Status() : Status(found.error());
        })
        .ok();
  }
  contracts::Node node(const std::string& name = "n1") {
    contracts::Node found;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.get<contracts::Node>({"", name}));
                      return {};
                    })
                    .ok());
    return found;
  }
  void submit(
      const std::string& name,
      const std::function<void(contracts::Run&)>& change = [](contracts::Run&) {}) {
    contracts::Run run;
    change(run);
    run.metadata.name = run.metadata.uid = name;
    run.metadata.name_space = "default";
    run.spec.command.argv = {"true"};
    store_new(run);
  }
  // As its admission would.
  void store_new(contracts::Run run) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) {
                      return store::create_run(txn, run, runs::admit(run, clock_.wall()));
                    })
                    .ok());
  }
  std::optional<contracts::Run> find(const std::string& name) {
    std::optional<contracts::Run> found;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.find<contracts::Run>({"default", name}));
                      return {};
                    })
                    .ok());
    return found;
  }
  TickReport step() { return reconciler_->tick(nodes::now(clock_)).value(); }
  contracts::Run run(const std::string& uid) {
    contracts::Run found;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.run_by_uid(uid));
                      return {};
                    })
                    .ok());
    return found;
  }
  bool ready() { return node().status.ready; }

  ManualClock clock_;
  SeededRandom random_{1};
  nodes::LeaseTable leases_{clock_.mono()};
  std::unique_ptr<store::Store> store_;
  Settings settings_;
  std::optional<Reconciler> reconciler_;
};

}  // namespace paddock::reconciler
