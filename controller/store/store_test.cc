// What the store promises, in memory and on disk alike.
#include "controller/store/store.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "controller/store/run_writes.h"
#include "controller/store/store_test_support.h"

namespace paddock::store {
namespace {

using contracts::RunEvent;
using contracts::RunPhase;

class StoreTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    StoreOptions options;
    if (GetParam()) options.path = folder_.file();
    options.on_commit = [this](const std::vector<std::string>& topics) {
      touched_.insert(touched_.end(), topics.begin(), topics.end());
    };
    store_ = std::move(Store::open(options)).value();
  }
  Status create(contracts::Run& run) {
    return store_->write([&](WriteTxn& txn) { return txn.create(run); });
  }
  Result<contracts::Run> get(const std::string& name) {
    Result<contracts::Run> found = Error{};
    TRY(store_->read([&](ReadTxn& txn) -> Status {
      found = txn.get<contracts::Run>({"default", name});
      return {};
    }));
    return found;
  }

  TempFolder folder_;
  std::unique_ptr<Store> store_;
  std::vector<std::string> touched_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, StoreTest, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "OnDisk" : "InMemory"; });

TEST_P(StoreTest, ReturnsWhatWasCreatedWithItsResourceVersion) {
  contracts::Run run = make_run("a");
  run.spec.resources = contracts::Resources{2, wire::Quantity{1 << 30}, std::nullopt};
  ASSERT_TRUE(create(run).ok());
  EXPECT_FALSE(run.metadata.resource_version.empty());
  const Result<contracts::Run> back = get("a");
  ASSERT_TRUE(back.ok()) << back.error().describe();
  EXPECT_EQ(wire::encode(*back), wire::encode(run));
}

TEST_P(StoreTest, NamesWhatIsMissingAndWhatIsTaken) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  contracts::Run again = make_run("a");
  again.metadata.uid = "other";
  EXPECT_EQ(create(again).error().reason, "RUN_ALREADY_EXISTS");
  EXPECT_EQ(get("b").error().reason, "RUN_NOT_FOUND");
  const Status erased = store_->write([](WriteTxn& txn) {
    return txn.erase<contracts::Node>({"", "n"});
  });
  EXPECT_EQ(erased.error().reason, "NODE_NOT_FOUND");
}

TEST_P(StoreTest, RefusesAStaleWriteAndKeepsTheVersionOfAnUnchangedOne) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  contracts::Run stale = run;
  const std::string first = run.metadata.resource_version;
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.update(run); }).ok());
  EXPECT_EQ(run.metadata.resource_version, first);

  run.spec.priority = 5;
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.update(run); }).ok());
  EXPECT_GT(std::stoll(run.metadata.resource_version), std::stoll(first));

  stale.spec.priority = 7;
  const Status refused = store_->write([&](WriteTxn& txn) { return txn.update(stale); });
  EXPECT_EQ(refused.error().reason, "STALE_RESOURCE_VERSION");
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_EQ(get("a")->spec.priority, 5);
}

TEST_P(StoreTest, KeepsNothingOfAChangeThatFails) {
  const Status failed = store_->write([](WriteTxn& txn) -> Status {
    contracts::Run run = make_run("half");
    TRY(txn.create(run));
    txn.touch("never");
    return invalid_argument("NO", "no");
  });
  EXPECT_EQ(failed.error().reason, "NO");
  EXPECT_EQ(get("half").error().reason, "RUN_NOT_FOUND");
  EXPECT_TRUE(touched_.empty());
}

TEST_P(StoreTest, ListsInPagesByNamespaceAndName) {
  for (const char* name_space : {"b", "a"}) {
    for (const char* name : {"3", "1", "2"}) {
      contracts::Run run = make_run(name, name_space);
      ASSERT_TRUE(create(run).ok());
    }
  }
  std::vector<std::string> seen;
  ASSERT_TRUE(
      store_
          ->read([&](ReadTxn& txn) -> Status {
            ListOptions options;
            options.limit = 4;
            ASSIGN_OR_RETURN(Page<contracts::Run> page, txn.list<contracts::Run>(options));
            EXPECT_EQ(page.remaining, 2);
            EXPECT_EQ(page.continue_after, "b/1");
            EXPECT_EQ(page.resource_version, 6);
            options.after = page.continue_after;
            ASSIGN_OR_RETURN(const Page<contracts::Run> rest, txn.list<contracts::Run>(options));
            EXPECT_EQ(rest.remaining, 0);
            EXPECT_EQ(rest.continue_after, "");
            for (const contracts::Run& run : page.items) seen.push_back(run.metadata.uid);
            for (const contracts::Run& run : rest.items) seen.push_back(run.metadata.uid);
            options = {"b", 0, {}};
            ASSIGN_OR_RETURN(const Page<contracts::Run> only_b, txn.list<contracts::Run>(options));
            EXPECT_EQ(only_b.items.size(), 3u);
            return {};
          })
          .ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"uid-a-1", "uid-a-2", "uid-a-3", "uid-b-1", "uid-b-2",
                                            "uid-b-3"}));
}

TEST_P(StoreTest, KnowsWhichRunsAreActiveAndWhere) {
  contracts::Run waiting = make_run("z-first");
  contracts::Run placed = make_run("placed");
  placed.status.phase = RunPhase::kScheduled;
  placed.status.node_name = "n1";
  contracts::Run over = make_run("over");
  over.status.phase = RunPhase::kSucceeded;
  over.status.node_name = "n1";
  for (contracts::Run* run : {&waiting, &placed, &over}) ASSERT_TRUE(create(*run).ok());
  ASSERT_TRUE(
      store_
          ->read([&](ReadTxn& txn) -> Status {
            ASSIGN_OR_RETURN(const std::vector<contracts::Run> active, txn.active_runs());
            EXPECT_EQ(active.size(), 2u);
            EXPECT_EQ(active.at(0).metadata.name, "z-first");
            ASSIGN_OR_RETURN(const std::vector<contracts::Run> here, txn.active_runs_on("n1"));
            EXPECT_EQ(here.size(), 1u);
            ASSIGN_OR_RETURN(const contracts::Run by_uid, txn.run_by_uid("uid-default-over"));
            EXPECT_EQ(by_uid.metadata.name, "over");
            return {};
          })
          .ok());
}

TEST_P(StoreTest, NumbersTheEventsOfARunFromOneWithoutGaps) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  const std::string uid = run.metadata.uid;
  const std::string bytes("\0\xff raw", 6);
  const Status appended = store_->write([&](WriteTxn& txn) -> Status {
    for (int64_t i = 1; i <= 3; ++i) {
      RunEvent event{0, 10 * i, "stdout", bytes};
      TRY(txn.append_event(uid, event));
      EXPECT_EQ(event.id, i);
    }
    TRY(txn.put_output_acked(uid, 1, 2));
    return txn.put_output_acked(uid, 1, 3);
  });
  ASSERT_TRUE(appended.ok()) << appended.error().describe();
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto events, txn.run_events(uid, 1, 1));
                    EXPECT_EQ(events.size(), 1u);
                    EXPECT_EQ(events.at(0).id, 2);
                    EXPECT_EQ(events.at(0).data, bytes);
                    EXPECT_EQ(txn.run_events(uid, 0, 0).value().size(), 3u);
                    EXPECT_EQ(txn.last_event_id(uid).value(), 3);
                    EXPECT_EQ(txn.output_acked(uid, 1).value(), 3);
                    EXPECT_EQ(txn.output_acked(uid, 2).value(), 0);
                    return {};
                  })
                  .ok());
}

TEST_P(StoreTest, ErasesARunWithItsEventsAndRefusesEventsOfNoRun) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  const std::string uid = run.metadata.uid;
  auto append = [&](WriteTxn& txn) -> Status {
    RunEvent event{0, 1, "stdout", "x"};
    TRY(txn.append_event(uid, event));
    return txn.put_output_acked(uid, 1, 1);
  };
  ASSERT_TRUE(store_->write(append).ok());
  ASSERT_TRUE(
      store_->write([](WriteTxn& txn) {
              return txn.erase<contracts::Run>({"default", "a"});
            })
          .ok());
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    EXPECT_EQ(txn.last_event_id(uid).value(), 0);
                    EXPECT_EQ(txn.output_acked(uid, 1).value(), 0);
                    return {};
                  })
                  .ok());
  EXPECT_EQ(store_->write(append).error().reason, "RUN_NOT_FOUND");
}

TEST_P(StoreTest, KeepsTokensSettingsAndIdempotencyKeys) {
  TokenRecord token{"id1", "hash1", "admin", {"runs:read", "runs:write"}, "default", 99, false};
  ASSERT_TRUE(store_
                  ->write([&](WriteTxn& txn) -> Status {
                    TRY(txn.put_token(token));
                    TRY(txn.put_token({"id2", "hash2", "x", {}, "", std::nullopt, false}));
                    TRY(txn.put_setting("k", "v1"));
                    TRY(txn.put_setting("k", "v2"));
                    return txn.put_idempotent_create("runs/default", "key", {"a", "digest"});
                  })
                  .ok());
  token.revoked = true;
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.put_token(token); }).ok());
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    const auto found = txn.token_by_hash("hash1").value();
                    EXPECT_TRUE(found && found->revoked && found->scopes == token.scopes &&
                                found->expires_ms == 99 && found->name_space == "default");
                    EXPECT_FALSE(txn.token_by_hash("none").value());
                    EXPECT_EQ(txn.tokens().value().size(), 2u);
                    EXPECT_TRUE(txn.tokens().value().at(1).scopes.empty());
                    EXPECT_EQ(txn.setting("k").value(), "v2");
                    EXPECT_FALSE(txn.setting("none").value());
                    EXPECT_EQ(txn.idempotent_create("runs/default", "key").value()->name, "a");
                    EXPECT_FALSE(txn.idempotent_create("runs/other", "key").value());
                    return {};
                  })
                  .ok());
}

TEST_P(StoreTest, TellsEachTouchedTopicOncePerCommit) {
  ASSERT_TRUE(store_
                  ->write([](WriteTxn& txn) -> Status {
                    txn.touch("b");
                    txn.touch("a");
                    txn.touch("b");
                    return {};
                  })
                  .ok());
  EXPECT_EQ(touched_, (std::vector<std::string>{"a", "b"}));
}

TEST_P(StoreTest, AChangedRunWakesItsStreamsItsNodeAndWhenItEndedTheScheduler) {
  contracts::Run run = make_run("a");
  run.status.node_name = "n1";
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return create_run(txn, run, {}); }).ok());
  touched_.clear();
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return save_run(txn, run, {}); }).ok());
  EXPECT_TRUE(touched_.empty());
  run.status.phase = RunPhase::kFailed;
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) {
                      return save_run(txn, run, {{0, 1, "end", "{}"}});
                    })
                  .ok());
  EXPECT_EQ(touched_,
            (std::vector<std::string>{"node/n1", "run/" + run.metadata.uid, "scheduler"}));
}

// Many callers at once: each change is applied exactly once, failing neighbours harm nobody, and
// readers always see whole commits.
TEST_P(StoreTest, ServesManyCallersAtOnceWithoutMixingThem) {
  contracts::Run counter = make_run("counter");
  ASSERT_TRUE(create(counter).ok());
  constexpr int kThreads = 8;
  constexpr int kRounds = 40;
  std::atomic<int> failures{0};
  auto work = [&](int id) {
    for (int i = 0; i < kRounds; ++i) {
      const bool fail = i % 5 == 4;
      const Status done = store_->write([&](WriteTxn& txn) -> Status {
        contracts::Run mine = make_run(cat("t", id, "-", i));
        TRY(txn.create(mine));
        ASSIGN_OR_RETURN(contracts::Run shared, txn.get<contracts::Run>({"default", "counter"}));
        shared.spec.priority += 1;
        TRY(txn.update(shared));
        if (fail) return invalid_argument("PLANNED", "planned");
        return {};
      });
      if (done.ok() == fail) ++failures;
      const Status read = store_->read([&](ReadTxn& txn) -> Status {
        ASSIGN_OR_RETURN(const contracts::Run shared,
                         txn.get<contracts::Run>({"default", "counter"}));
        ASSIGN_OR_RETURN(const Page<contracts::Run> all, txn.list<contracts::Run>({{}, 1, {}}));
        if (all.remaining != shared.spec.priority) ++failures;
        return {};
      });
      if (!read.ok()) ++failures;
    }
  };
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) threads.emplace_back(work, id);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(get("counter")->spec.priority, kThreads * kRounds * 4 / 5);
}

}  // namespace
}  // namespace paddock::store
