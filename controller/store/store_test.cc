// What the store promises, in memory and on disk alike.
#include "controller/store/store.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "controller/store/engine_test_support.h"
#include "controller/store/run_writes.h"

namespace paddock::store {
namespace {

using contracts::RunPhase;

INSTANTIATE_TEST_SUITE_P(Kinds, StoreTest, all_engines(), engine_name);

TEST_P(StoreTest, ReturnsWhatWasCreatedWithItsResourceVersion) {
  contracts::Run run = make_run("a");
  run.spec.resources = contracts::Resources{2, wire::Quantity{1 << 30}, {}, std::nullopt};
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

TEST_P(StoreTest, NamesThoseBetweenTwoNamesByTheirBytes) {
  for (const char* name : {"a-9", "a-10", "a-0", "a", "a-x", "a-B1", "b-1"}) {
    contracts::Run run = make_run(name);
    ASSERT_TRUE(create(run).ok()) << name;
  }
  std::vector<std::string> names;
  const std::string name_space = make_run("a").metadata.name_space;
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(names, txn.names("Run", {name_space, "a-0"}, "a-:"));
                    return {};
                  })
                  .ok());
  EXPECT_EQ(names, (std::vector<std::string>{"a-0", "a-10", "a-9"}));
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
    return invalid_argument("PRECONDITION_FAILED", "no");
  });
  EXPECT_EQ(failed.error().reason, "PRECONDITION_FAILED");
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
            const auto rest_of_b = [&](const std::string& after) {
              std::string names;
              const auto found = txn.list<contracts::Run>({"b", 2, after});
              EXPECT_TRUE(found.ok());
              if (!found.ok()) return names;
              for (const contracts::Run& run : found->items) names += run.metadata.name;
              return cat(names, " ", found->continue_after, " ", found->remaining);
            };
            EXPECT_EQ(rest_of_b("a/3"), "12 b/2 1") << "not reached yet: from its start";
            EXPECT_EQ(rest_of_b("b/1"), "23  0");
            EXPECT_EQ(rest_of_b("c/0"), "  0") << "passed already";
            return {};
          })
          .ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"uid-a-1", "uid-a-2", "uid-a-3", "uid-b-1", "uid-b-2",
                                            "uid-b-3"}));
}

TEST_P(StoreTest, APageCountsNoFurtherThanAThousandBehindIt) {
  constexpr int64_t kRuns = 1'003;
  ASSERT_TRUE(store_
                  ->write([](WriteTxn& txn) -> Status {
                    for (int64_t i = 0; i < kRuns; ++i) {
                      contracts::Run run = make_run(std::to_string(10'000 + i));
                      TRY(txn.create(run));
                    }
                    return {};
                  })
                  .ok());
  const auto page = [&](int64_t limit) {
    ListOptions options;
    options.limit = limit;
    Page<contracts::Run> found;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.list<contracts::Run>(options));
                      return {};
                    })
                    .ok());
    return cat(found.items.size(), " ", found.continue_after, " ", found.remaining);
  };
  EXPECT_EQ(page(3), "3 default/10002 1000");
  EXPECT_EQ(page(2), "2 default/10001 0") << "more than are counted: it goes on all the same";
  EXPECT_EQ(page(kRuns), cat(kRuns, "  0"));
}

// However many are over: they are not read.
TEST_P(StoreTest, ListsThoseThatAreNotOver) {
  for (const char* name_space : {"b", "a"}) {
    for (const char* name : {"1", "2", "3", "4"}) {
      contracts::Run run = make_run(name, name_space);
      if (*name == '2') run.status.phase = contracts::RunPhase::kFailed;
      if (*name == '3') run.status.node_name = "n";  // the index sorts by node
      ASSERT_TRUE(create(run).ok());
    }
  }
  const auto page = [&](ListOptions options) {
    options.active = true;
    std::string seen;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto found, txn.list<contracts::Run>(options));
                      for (const contracts::Run& run : found.items)
                        seen += cat(run.metadata.name_space, run.metadata.name, " ");
                      seen += cat(found.continue_after, " ", found.remaining);
                      return {};
                    })
                    .ok());
    return seen;
  };
  EXPECT_EQ(page({}), "a1 a3 a4 b1 b3 b4  0");
  EXPECT_EQ(page({.limit = 2}), "a1 a3 a/3 4");
  EXPECT_EQ(page({.limit = 2, .after = "a/3"}), "a4 b1 b/1 2");
  EXPECT_EQ(page({.name_space = "b"}), "b1 b3 b4  0");
  EXPECT_EQ(page({.name_space = "b", .limit = 2}), "b1 b3 b/3 1");
  EXPECT_EQ(page({.name_space = "b", .limit = 2, .after = "b/3"}), "b4  0");
  EXPECT_EQ(page({.name_space = "b", .limit = 2, .after = "a/1"}), "b1 b3 b/3 1");
  EXPECT_EQ(page({.name_space = "a", .after = "b/1"}), " 0");
}

// Pages follow creation, whatever was deleted since.
TEST_P(StoreTest, ListsTheNewestFirst) {
  for (const char* name : {"m", "z", "a", "k"}) {
    contracts::Run run = make_run(name, "b");
    if (*name == 'z') run.status.phase = contracts::RunPhase::kFailed;
    ASSERT_TRUE(create(run).ok());
  }
  contracts::Run elsewhere = make_run("other", "a");
  ASSERT_TRUE(create(elsewhere).ok());
  const auto page = [&](ListOptions options) {
    options.name_space = "b";
    options.newest_first = true;
    std::string seen;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto found, txn.list<contracts::Run>(options));
                      for (const contracts::Run& run : found.items) seen += run.metadata.name + " ";
                      seen += found.continue_after;
                      return {};
                    })
                    .ok());
    return seen;
  };
  EXPECT_EQ(page({}), "k a z m ");
  EXPECT_EQ(page({.limit = 2}), "k a 3");
  EXPECT_EQ(page({.limit = 2, .after = "3"}), "z m ");
  EXPECT_EQ(page({.limit = 4}), "k a z m ");
  EXPECT_EQ(page({.bytes = 1}), "k 4") << "one at least, and no more than fit";
  EXPECT_EQ(page({.after = "2", .bytes = 1}), "m ");
  EXPECT_EQ(page({.active = true}), "k a m ");
  EXPECT_EQ(page({.limit = 1, .after = "3", .active = true}), "m ");
  ASSERT_TRUE(store_->write([](WriteTxn& txn) {
                      return txn.erase<contracts::Run>({"b", "a"});
                    })
                  .ok());
  EXPECT_EQ(page({.limit = 2, .after = "3"}), "z m ") << "the place outlives what was there";
}

TEST_P(StoreTest, ListsThoseOfOneName) {
  for (const char* name_space : {"b", "a", "c"}) {
    for (const char* name : {"1", "2"}) {
      contracts::Run run = make_run(name, name_space);
      ASSERT_TRUE(create(run).ok());
    }
  }
  const auto page = [&](const ListOptions& options) {
    std::string seen;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto found, txn.list<contracts::Run>(options));
                      for (const contracts::Run& run : found.items) seen += run.metadata.uid + " ";
                      seen += cat(found.continue_after, " ", found.remaining, " ",
                                  found.resource_version);
                      return {};
                    })
                    .ok());
    return seen;
  };
  EXPECT_EQ(page({.name_space = "b", .name = "2"}), "uid-b-2  0 6");
  EXPECT_EQ(page({.name_space = "b", .limit = 1, .name = "2"}), "uid-b-2  0 6");
  EXPECT_EQ(page({.name_space = "b", .after = "b/2", .name = "2"}), " 0 6");
  EXPECT_EQ(page({.name_space = "b", .name = "none"}), " 0 6");
  EXPECT_EQ(page({.name = "2"}), "uid-a-2 uid-b-2 uid-c-2  0 6");
  EXPECT_EQ(page({.limit = 2, .name = "2"}), "uid-a-2 uid-b-2 b/2 1 6");
  EXPECT_EQ(page({.limit = 2, .after = "b/2", .name = "2"}), "uid-c-2  0 6");
  EXPECT_EQ(page({.name = "2", .bytes = 1}), "uid-a-2 a/2 2 6") << "as many as fit";
  EXPECT_EQ(page({.name = "2", .bytes = 1 << 20}), "uid-a-2 uid-b-2 uid-c-2  0 6");
  EXPECT_EQ(page({.after = "c/1", .bytes = 1}), "uid-c-2  0 6");
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
  EXPECT_EQ(touched_, (std::vector<std::string>{"kind/Run", "node/n1", "run/" + run.metadata.uid,
                                                "scheduler"}));
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
        if (fail) return invalid_argument("PRECONDITION_FAILED", "planned");
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
