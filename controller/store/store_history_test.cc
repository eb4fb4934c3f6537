// The history of changes, what ended first and what is forgotten with an object.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
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
                    const auto oldest = txn.oldest_finished(INT64_MAX, 2).value();
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
                    TRY(txn.put_idempotent_create("t /build", "key", 0, {"a", "digest"}));
                    TRY(txn.erase<contracts::Run>({"default", "a"}));
                    EXPECT_TRUE(txn.idempotent_creates(here, "key").value().empty());
                    EXPECT_TRUE(txn.idempotent_creates("t /build", "key").value().empty());
                    EXPECT_FALSE(txn.idempotent_creates(there, "key").value().empty());
                    return txn.put_idempotent_create(here, "key", 0, {"a", "digest"});
                  })
                  .ok());
}

// This holds for every kind and every path of the API. A key that made another object of the same
// name stays.
TEST_P(StoreHistory, ForgetsAnIdempotencyKeyWithWhateverItMade) {
  const std::string ours = "t /apis/paddock.dev/v1alpha1/namespaces/default/";
  const std::string theirs = "t /apis/agents.x-k8s.io/v1beta1/namespaces/default/";
  const std::vector<std::string> gone = {ours + "workspaces", ours + "sandboxes",
                                         theirs + "sandboxes"};
  const std::vector<std::string> kept = {
      ours + "secrets", "t /apis/paddock.dev/v1alpha1/namespaces/other/workspaces",
      "t /apis/paddock.dev/v1alpha1/namespaces/my-default/workspaces"};
  contracts::Workspace workspace;
  contracts::Sandbox sandbox;
  const auto make = [](WriteTxn& txn, auto& object) {
    object.metadata.name = "a";
    object.metadata.name_space = "default";
    object.metadata.uid = cat("uid-", object.kKind);
    return txn.create(object);
  };
  const auto has = [](WriteTxn& txn, const std::string& scope) {
    return !txn.idempotent_creates(scope, "key").value().empty();
  };
  const Status done = store_->write([&](WriteTxn& txn) -> Status {
    TRY(make(txn, workspace));
    TRY(make(txn, sandbox));
    for (const auto* scopes : {&gone, &kept})
      for (const std::string& each : *scopes)
        TRY(txn.put_idempotent_create(each, "key", 0, {"a", "digest"}));
    TRY(txn.erase<contracts::Workspace>({"default", "a"}));
    EXPECT_FALSE(has(txn, gone[0]));
    EXPECT_TRUE(has(txn, gone[1]));
    TRY(txn.erase<contracts::Sandbox>({"default", "a"}));
    for (const std::string& each : gone) EXPECT_FALSE(has(txn, each)) << each;
    for (const std::string& each : kept) EXPECT_TRUE(has(txn, each)) << each;
    return {};
  });
  EXPECT_TRUE(done.ok()) << done.error().describe();
}

}  // namespace
}  // namespace paddock::store
