// What the store announces to watches, and the phases that it tells as events.
#include <list>

#include "controller/store/engine_test_support.h"
#include "controller/store/phase_records.h"
#include "controller/store/sql/phase_statement.h"
#include "controller/store/sqlite/connection.h"

namespace paddock::store {
namespace {

using Op = ObjectWrite::Op;

class Announced : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    StoreOptions options = this->options();
    options.on_changes = [this](std::vector<ObjectWrite> changes) {
      for (ObjectWrite& each : changes) changes_.push_back(std::move(each));
    };
    store_ = std::move(Store::open(options)).value();
  }
  std::unique_ptr<Store> store_;
  std::vector<ObjectWrite> changes_;
};

TEST_P(Announced, EveryChangeWithItsStateBeforeAndAfter) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.create(run); }).ok());
  run.metadata.labels["x"] = "y";
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.update(run); }).ok());
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.update(run); }).ok());  // nothing new
  ASSERT_TRUE(
      store_->write([&](WriteTxn& txn) {
              return txn.erase<contracts::Run>({"default", "a"});
            })
          .ok());
  ASSERT_EQ(changes_.size(), 3u);
  EXPECT_EQ(changes_[0].op, Op::kCreate);
  EXPECT_EQ(changes_[0].before, "");
  EXPECT_EQ(changes_[1].op, Op::kUpdate);
  EXPECT_EQ(changes_[1].before, changes_[0].after);
  EXPECT_NE(changes_[1].after.find("\"x\":\"y\""), std::string::npos);
  EXPECT_EQ(changes_[2].op, Op::kDelete);
  EXPECT_EQ(changes_[2].before, changes_[1].after);
  EXPECT_EQ(changes_[2].after, "");
  EXPECT_LT(changes_[0].resource_version, changes_[1].resource_version);
  EXPECT_LT(changes_[1].resource_version, changes_[2].resource_version);
  EXPECT_EQ(changes_[2].key.name, "a");
}

TEST_P(Announced, NothingThatWasNotCommitted) {
  contracts::Run run = make_run("a");
  const Status undone = store_->write([&](WriteTxn& txn) -> Status {
    TRY(txn.create(run));
    return Error{Code::kConflict, "PRECONDITION_FAILED", "undone"};
  });
  EXPECT_FALSE(undone.ok());
  EXPECT_TRUE(changes_.empty());
}

TEST_P(Announced, EachPhaseOnceAndItsEndWithItsRun) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(store_
                  ->write([&](WriteTxn& txn) -> Status {
                    TRY(txn.create(run));
                    for (const char* type : {"phase", "stdout", "phase"}) {
                      contracts::RunEvent event{0, 5, type, R"({"phase":"Pending"})"};
                      TRY(txn.append_event(run.metadata.uid, event));
                    }
                    return {};
                  })
                  .ok());
  ASSERT_EQ(changes_.size(), 3u);
  ASSERT_TRUE(
      store_->write([&](WriteTxn& txn) {
              return txn.erase<contracts::Run>({"default", "a"});
            })
          .ok());
  ASSERT_EQ(changes_.size(), 6u);
  std::vector<PhaseRecord> told;
  for (const size_t at : {1u, 2u}) {
    const ObjectWrite& made = changes_[at];
    const ObjectWrite& gone = changes_[at + 2];
    EXPECT_EQ(made.kind, kPhaseKind);
    EXPECT_EQ(made.op, Op::kCreate);
    EXPECT_EQ(gone.op, Op::kDelete);
    EXPECT_EQ(gone.key.name, made.key.name);
    EXPECT_EQ(gone.before, made.after);
    EXPECT_LT(changes_[at - 1].resource_version, made.resource_version);
    EXPECT_LT(gone.resource_version, changes_[at + 3].resource_version);
    told.push_back(parse_phase(made.after).value());
    EXPECT_EQ(told.back().resource_version, made.resource_version);
  }
  EXPECT_EQ(told[0].run.name, "a");
  EXPECT_EQ(told[0].run_uid, run.metadata.uid);
  EXPECT_EQ(told[0].event.data, R"({"phase":"Pending"})");
  EXPECT_EQ(told[1].event.id, 3);
  EXPECT_FALSE(parse_phase("{").ok());
}

// Nobody who follows objects is told of them: there is nothing to read under such a key.
TEST_P(Announced, PhasesAreNoObjects) {
  contracts::Run run = make_run("a");
  contracts::RunEvent event{0, 5, "phase", "{}"};
  ASSERT_TRUE(store_
                  ->write([&](WriteTxn& txn) -> Status {
                    TRY(txn.create(run));
                    return txn.append_event(run.metadata.uid, event);
                  })
                  .ok());
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto changes, txn.changes_after(0));
                    EXPECT_EQ(changes->size(), 1u);
                    ASSIGN_OR_RETURN(const auto newest, txn.resource_version());
                    EXPECT_EQ(newest, changes_.back().resource_version);
                    return {};
                  })
                  .ok());
}

TEST_P(Announced, PhasesComeWithTheirRunAndWithoutItsOutput) {
  for (const char* name : {"a", "b"}) {
    contracts::Run run = make_run(name);
    ASSERT_TRUE(store_
                    ->write([&](WriteTxn& txn) -> Status {
                      TRY(txn.create(run));
                      for (const char* type : {"phase", "stdout", "phase"}) {
                        contracts::RunEvent event{0, 5, type, type};
                        TRY(txn.append_event(run.metadata.uid, event));
                      }
                      return {};
                    })
                    .ok());
  }
  const auto phases = [&](const PhaseQuery& query) {
    std::string out;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto records, txn.phase_records(query));
                      for (const PhaseRecord& each : records)
                        out += cat(each.run.name, each.event.id, " ");
                      return {};
                    })
                    .ok());
    return out;
  };
  EXPECT_EQ(phases({}), "a1 a3 b1 b3 ");
  EXPECT_EQ(phases({.name_space = "default", .run_name = "b"}), "b1 b3 ");
  EXPECT_EQ(phases({.name_space = "other"}), "");
  EXPECT_EQ(phases({.limit = 2}), "a1 a3 ");
  EXPECT_EQ(phases({.after_object = 1, .after_event = 1, .limit = 2}), "a3 b1 ");
  EXPECT_EQ(phases({.name_space = "default", .after_object = 1, .after_event = 1}), "a3 b1 b3 ");
  EXPECT_EQ(phases({.name_space = "default", .after_object = 1, .after_event = 3, .limit = 1}),
            "b1 ");
  EXPECT_EQ(phases({.run_name = "b"}), "b1 b3 ");
  EXPECT_EQ(phases({.run_name = "a", .after_object = 1, .after_event = 1}), "a3 ");
  EXPECT_EQ(phases({.name_space = "default", .run_name = "a", .after_object = 1, .after_event = 1}),
            "a3 ");
}

// Otherwise, with many runs, each page would join and sort everything that comes after it.
TEST(PhaseStatement, WalksAndDoesNotSort) {
  const TempFolder folder;
  const auto store = must_open(folder.file());
  const auto db =
      sqlite::Connection::open(folder.file(), sqlite::Connection::Mode::kReader).value();
  std::list<std::string> asked;  // a statement is kept under its address
  for (const PhaseQuery& query :
       {PhaseQuery{}, {.name_space = "default"}, {.name_space = "default", .run_name = "a"}}) {
    asked.push_back(cat("EXPLAIN QUERY PLAN ", sql::phase_statement(query)));
    sql::Statement rows = db->prepare(asked.back().c_str());
    const auto plan = rows.all([](const sql::Statement& row) { return row.text(3); });
    ASSERT_TRUE(plan.ok()) << plan.error().describe();
    ASSERT_EQ(plan->size(), 2u) << join(*plan, "; ");
    EXPECT_TRUE(plan->at(0).starts_with("SEARCH o ")) << plan->at(0);
    EXPECT_NE(plan->at(0).find("rowid>?"), std::string::npos) << plan->at(0);
    EXPECT_TRUE(plan->at(1).starts_with("SEARCH e ")) << plan->at(1);
  }
}

INSTANTIATE_TEST_SUITE_P(Store, Announced, all_engines(), engine_name);

}  // namespace
}  // namespace paddock::store
