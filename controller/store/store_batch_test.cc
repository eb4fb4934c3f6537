// Changes that are committed together, on every engine: what one of them does wrong is its own.
#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "controller/store/engine_test_support.h"
#include "controller/store/run_writes.h"

namespace paddock::store {
namespace {

class BatchTest : public StoreTest {
 protected:
  // All at once; the reasons, empty for those that were done.
  std::vector<std::string> write_all(const std::vector<std::function<Status(WriteTxn&)>>& changes,
                                     const std::vector<NewObject>& makes = {}) {
    std::vector<std::string> reasons(changes.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < changes.size(); ++i)
      threads.emplace_back([&, i] {
        const Status done = store_->write_new(makes, changes[i]);
        reasons[i] = done.ok() ? "" : done.error().reason.str();
      });
    for (std::thread& each : threads) each.join();
    return reasons;
  }
  static std::function<Status(WriteTxn&)> making(const std::string& name) {
    return [name](WriteTxn& txn) -> Status {
      contracts::Run run = make_run(name);
      contracts::RunEvent event;
      event.type = contracts::kEventPhase;
      event.data = R"({"phase":"Pending"})";
      TRY(create_run(txn, run, {event}));
      contracts::AuditEvent told;
      told.type = "test.create";
      return txn.append_audit(told);
    };
  }
  std::string chain() { return chain_of(*store_); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, BatchTest, all_engines(), engine_name);

// That it was said which objects are made says nothing about whether they are there.
TEST_P(BatchTest, OfOneNameOneIsMadeWhateverWasSaidBefore) {
  ASSERT_TRUE(store_->write(making("there")).ok());
  const std::vector<NewObject> makes = {{"Run", {"default", "there"}}, {"Run", {"default", "new"}}};
  EXPECT_EQ(write_all({making("there")}, makes), (std::vector<std::string>{"RUN_ALREADY_EXISTS"}));
  std::vector<std::function<Status(WriteTxn&)>> same(16, making("new"));
  const auto reasons = write_all(same, makes);
  EXPECT_EQ(std::ranges::count(reasons, ""), 1);
  EXPECT_EQ(std::ranges::count(reasons, "RUN_ALREADY_EXISTS"), 15);
  EXPECT_TRUE(get("new").ok());
}

TEST_P(BatchTest, AChangeThatFailsAfterItsWritesLeavesNothingAndNoGapInTheChain) {
  std::vector<std::function<Status(WriteTxn&)>> changes;
  for (int i = 0; i < 40; ++i) {
    const std::string name = cat("r-", i);
    changes.emplace_back([i, name](WriteTxn& txn) -> Status {
      TRY(making(name)(txn));
      if (i % 4 == 1) TRY(txn.get<contracts::Run>({"default", name}));  // what is not sent yet
      if (i % 2 == 1) return invalid_argument("PRECONDITION_FAILED", "planned");
      return {};
    });
  }
  const auto reasons = write_all(changes);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(reasons[static_cast<size_t>(i)], i % 2 == 1 ? "PRECONDITION_FAILED" : "") << i;
    EXPECT_EQ(get(cat("r-", i)).ok(), i % 2 == 0) << i;
  }
  EXPECT_TRUE(chain().ends_with("20")) << chain();
}

TEST_P(BatchTest, AChangeSeesWhatItWroteAndWhatThoseBeforeItWrote) {
  std::atomic<int> faults{0};
  const auto step = [&](WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto before, txn.list<contracts::Run>({}));
    const std::string name = cat("n", before.items.size());
    TRY(making(name)(txn));
    ASSIGN_OR_RETURN(const auto after, txn.list<contracts::Run>({}));
    if (after.items.size() != before.items.size() + 1) ++faults;
    ASSIGN_OR_RETURN(const auto events, txn.run_events("uid-default-" + name, 0, 0));
    if (events.size() != 1) ++faults;
    contracts::RunEvent more;
    more.type = "output";
    TRY(txn.append_event("uid-default-" + name, more));
    if (more.id != 2) ++faults;
    return {};
  };
  const auto reasons = write_all(std::vector<std::function<Status(WriteTxn&)>>(30, step));
  EXPECT_EQ(std::ranges::count(reasons, ""), 30);
  EXPECT_EQ(faults, 0);
  EXPECT_TRUE(get("n29").ok());
}

// What an engine finds out only at the end: nothing of it is kept, and the next change goes well.
TEST_P(BatchTest, WhatBreaksARuleLeavesNothing) {
  const Status done = store_->write([](WriteTxn& txn) -> Status {
    TRY(making("one")(txn));
    contracts::Run other = make_run("other");
    other.metadata.uid = make_run("one").metadata.uid;
    return txn.create(other);
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, "STORE_CONSTRAINT");
  EXPECT_EQ(get("one").error().reason, "RUN_NOT_FOUND");
  EXPECT_TRUE(store_->write(making("one")).ok());
  EXPECT_TRUE(chain().ends_with("1")) << chain();
}

TEST_P(BatchTest, AnEventOfNoRunIsRefusedAlone) {
  const auto lost = [](WriteTxn& txn) -> Status {
    contracts::RunEvent event;
    event.type = "output";
    return txn.append_event("nobody", event);
  };
  const auto reasons = write_all({making("a"), lost, making("b")});
  EXPECT_EQ(reasons, (std::vector<std::string>{"", "RUN_NOT_FOUND", ""}));
}

}  // namespace
}  // namespace paddock::store
