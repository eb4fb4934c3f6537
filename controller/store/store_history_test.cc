// The history of changes, what ended first and what is forgotten with a run.
#include <gtest/gtest.h>

#include "controller/store/engine_test_support.h"

namespace paddock::store {
namespace {

class StoreHistory : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, StoreHistory, all_engines(), engine_name);

std::vector<std::string> changed_after(Store& store, int64_t version) {
  std::vector<std::string> names;
  EXPECT_TRUE(store
                  .read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto changes, txn.changes_after(version));
                    if (!changes) names = {"gone"};
                    if (changes) {
                      for (const auto& each : *changes) names.push_back(each.key.name);
                    }
                    return {};
                  })
                  .ok());
  return names;
}

TEST_P(StoreHistory, TellsWhatChangedSinceAVersionAndWhenItDoesNotKnow) {
  contracts::Run a = make_run("a");
  contracts::Run b = make_run("b");
  ASSERT_TRUE(create(a).ok());
  ASSERT_TRUE(create(b).ok());
  a.spec.priority = 1;
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.update(a); }).ok());
  ASSERT_TRUE(
      store_->write([&](WriteTxn& txn) {
              return txn.erase<contracts::Run>({"default", "b"});
            })
          .ok());
  using Names = std::vector<std::string>;
  EXPECT_EQ(changed_after(*store_, 0), (Names{"a", "b", "a", "b"}));
  EXPECT_EQ(changed_after(*store_, 2), (Names{"a", "b"}));
  EXPECT_EQ(changed_after(*store_, 4), Names{});
  EXPECT_EQ(changed_after(*store_, 5), Names{"gone"}) << "a version that was never given out";
}

TEST_P(StoreHistory, KnowsTheRunsThatEndedFirst) {
  for (const auto& [name, ended] :
       std::map<std::string, int64_t>{{"a", 30}, {"b", 10}, {"c", 20}}) {
    contracts::Run run = make_run(name);
    run.status.phase = contracts::RunPhase::kSucceeded;
    run.status.finished_at = wire::Timestamp{{ended}};
    ASSERT_TRUE(create(run).ok());
  }
  contracts::Run active = make_run("active");
  ASSERT_TRUE(create(active).ok());
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    EXPECT_EQ(txn.finished_count().value(), 3);
                    const auto oldest = txn.oldest_finished(2).value();
                    EXPECT_EQ(oldest.size(), 2u);
                    EXPECT_EQ(oldest.at(0).key.name, "b");
                    EXPECT_EQ(oldest.at(1).finished_ms, 20);
                    return {};
                  })
                  .ok());
}

TEST_P(StoreHistory, ForgetsAnIdempotencyKeyWithTheRunThatItMade) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  const std::string here = "t /apis/paddock.dev/v1alpha1/namespaces/default/runs";
  const std::string there = "t /apis/paddock.dev/v1alpha1/namespaces/other/runs";
  ASSERT_TRUE(store_
                  ->write([&](WriteTxn& txn) -> Status {
                    TRY(txn.put_idempotent_create(here, "key", 0, {"a", "digest"}));
                    TRY(txn.put_idempotent_create(there, "key", 0, {"a", "digest"}));
                    TRY(txn.erase<contracts::Run>({"default", "a"}));
                    EXPECT_TRUE(txn.idempotent_creates(here, "key").value().empty());
                    EXPECT_FALSE(txn.idempotent_creates(there, "key").value().empty());
                    return txn.put_idempotent_create(here, "key", 0, {"a", "digest"});
                  })
                  .ok());
}

}  // namespace
}  // namespace paddock::store
