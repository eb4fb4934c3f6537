// What was decoded is found by its version, within its bounds, and never of what was rolled back.
#include "controller/store/sql/decoded_cache.h"

#include <gtest/gtest.h>

#include "controller/store/engine_test_support.h"
#include "controller/store/run_writes.h"

namespace paddock::store::sql {
namespace {

Decoded entry(int64_t version, size_t bytes) {
  return {version, std::make_shared<const int64_t>(version), bytes};
}

TEST(DecodedCache, KeepsWhatWasAskedForLastWithinItsBytes) {
  DecodedCache cache(100);
  for (int64_t version = 1; version <= 4; ++version) cache.put(entry(version, 25));
  ASSERT_NE(cache.find(1), nullptr);
  cache.put(entry(5, 25));
  EXPECT_EQ(cache.find(2), nullptr) << "the one that nobody asked for";
  for (const int64_t version : {1, 3, 4, 5}) {
    const auto found = cache.find(version);
    ASSERT_NE(found, nullptr) << version;
    EXPECT_EQ(*static_cast<const int64_t*>(found.get()), version);
  }
  cache.put(entry(6, 26));
  EXPECT_EQ(cache.find(6), nullptr) << "more than a quarter of all";
}

class CachedStore : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (!IsSkipped()) store_ = Store::open(options()).value();
  }
  static contracts::Run named(const std::string& name, int64_t priority) {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "default";
    run.metadata.uid = "uid-" + name;
    run.spec.type = contracts::RunType::kCode;
    run.spec.code = "pass";
    run.spec.priority = priority;
    return run;
  }
  // Read twice: the second time it is decoded already.
  int64_t priority(const std::string& name) {
    int64_t seen = -1;
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(
          store_
              ->read([&](ReadTxn& txn) -> Status {
                ASSIGN_OR_RETURN(const auto run, txn.get<contracts::Run>({"default", name}));
                EXPECT_EQ(txn.run_by_uid("uid-" + name)->spec.priority, run.spec.priority);
                EXPECT_TRUE(i == 0 || seen == run.spec.priority);
                seen = run.spec.priority;
                return {};
              })
              .ok());
    }
    return seen;
  }
  Status write_then(const std::function<Status(WriteTxn&)>& change, bool fail) {
    return store_->write([&](WriteTxn& txn) -> Status {
      TRY(change(txn));
      return fail ? Status(Error{Code::kConflict, "PRECONDITION_FAILED", "not this time"})
                  : Status();
    });
  }

  std::unique_ptr<Store> store_;
};

TEST_P(CachedStore, ShowsEachStateThatWasWritten) {
  contracts::Run run = named("a", 1);
  ASSERT_TRUE(write_then([&](WriteTxn& txn) { return txn.create(run); }, false).ok());
  for (int64_t next = 1; next < 20; ++next) {
    EXPECT_EQ(priority("a"), next);
    run.spec.priority = next + 1;
    const auto update = [&](WriteTxn& txn) {
      using Write = WriteTxn::Write;
      return txn.update(run, next % 2 == 0 ? Write::kIfChanged : Write::kAlways);
    };
    ASSERT_TRUE(write_then(update, false).ok());
  }
}

// A version that was drawn in a change that failed is drawn again by the next: what was read inside
// of the first must not be shown of the second.
TEST_P(CachedStore, ForgetsWhatWasReadInsideOfAChangeThatFailed) {
  const auto make_and_read = [](const std::string& name, int64_t value) {
    return [=](WriteTxn& txn) -> Status {
      contracts::Run run = named(name, value);
      TRY(txn.create(run));
      for (int i = 0; i < 2; ++i) {
        ASSIGN_OR_RETURN(const auto seen, txn.get<contracts::Run>({"default", name}));
        EXPECT_EQ(seen.spec.priority, value);
      }
      return {};
    };
  };
  EXPECT_FALSE(write_then(make_and_read("a", 1), true).ok());
  ASSERT_TRUE(write_then(make_and_read("b", 2), false).ok());
  EXPECT_EQ(priority("b"), 2);
  ASSERT_TRUE(write_then(make_and_read("a", 3), false).ok());
  EXPECT_EQ(priority("a"), 3);
}

TEST_P(CachedStore, GivesEachReaderACopyOfItsOwn) {
  contracts::Run run = named("a", 1);
  ASSERT_TRUE(write_then([&](WriteTxn& txn) { return txn.create(run); }, false).ok());
  EXPECT_EQ(priority("a"), 1);
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(auto mine, txn.get<contracts::Run>({"default", "a"}));
                    mine.spec.priority = 9;
                    return {};
                  })
                  .ok());
  EXPECT_EQ(priority("a"), 1);
}

// What is written is kept as it was given, a list reads the text.
TEST_P(CachedStore, ShowsOfWhatWasWrittenWhatItsTextSays) {
  contracts::Run run = named("a", 1);
  run.metadata.labels = {{"team", "x"}};
  run.spec.workspace_root = std::string(64, 'a');
  run.status.message = "caf\xc3\xa9";
  const auto shown = [&] {
    std::pair<std::string, std::string> out;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto one, txn.get<contracts::Run>({"default", "a"}));
                      ASSIGN_OR_RETURN(const auto all, txn.list<contracts::Run>({}));
                      out = {wire::encode_json(one), wire::encode_json(all.items.at(0))};
                      return {};
                    })
                    .ok());
    EXPECT_EQ(out.first, out.second);
    return out.first;
  };
  ASSERT_TRUE(write_then([&](WriteTxn& txn) { return txn.create(run); }, false).ok());
  EXPECT_EQ(shown(), wire::encode_json(run));
  run.status.message.clear();
  run.status.finished_at.emplace();
  ASSERT_TRUE(write_then([&](WriteTxn& txn) { return txn.update(run); }, false).ok());
  EXPECT_EQ(shown(), wire::encode_json(run));
}

INSTANTIATE_TEST_SUITE_P(InFileAndMemory, CachedStore, all_engines(), engine_name);

}  // namespace
}  // namespace paddock::store::sql
