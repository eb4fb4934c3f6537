// How many ended runs are beyond what is kept, and when they are counted.
#include "controller/reconciler/finished_count.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "controller/store/store_test_support.h"

namespace paddock::reconciler {
namespace {

class FinishedCountTest : public ::testing::Test {
 protected:
  void make(const std::string& name, bool ended) {
    contracts::Run run = store::make_run(name);
    if (ended) {
      run.status.phase = contracts::RunPhase::kSucceeded;
      run.status.finished_at = wire::Timestamp{{1}};
    }
    ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(run); }).ok());
  }
  void make_ended(const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i) make(cat(prefix, i), true);
  }
  int64_t beyond(int64_t most) {
    int64_t out = -1;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(out, count_.beyond(txn, most));
                      return {};
                    })
                    .ok());
    return out;
  }
  // Runs end without a word, as they never do: only who counts them sees it.
  void end_unseen() {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(folder_.file().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, "UPDATE objects SET finished_ms = 1", nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(db);
  }

  store::TempFolder folder_;
  std::unique_ptr<store::Store> store_ = store::must_open(folder_.file());
  FinishedCount count_;
};

TEST_F(FinishedCountTest, IsWhatIsThereLessWhatWentSince) {
  make_ended("a", 3);
  make("b", false);
  ASSERT_TRUE(count_.look(*store_, 1).ok());
  EXPECT_EQ(beyond(1), 2);
  EXPECT_EQ(beyond(3), 0);
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) {
                    return txn.erase<contracts::Run>({"default", "a0"});
                  })
                  .ok());
  EXPECT_EQ(beyond(1), 1) << "somebody else deleted one";
}

TEST_F(FinishedCountTest, IsTakenAnewOnceThereMayBeTooMany) {
  make_ended("a", 2);
  for (int i = 0; i < 8; ++i) make(cat("b", i), false);
  ASSERT_TRUE(count_.look(*store_, 6).ok());
  end_unseen();
  ASSERT_TRUE(count_.look(*store_, 6).ok());
  EXPECT_EQ(beyond(6), 0) << "nothing changed: they were not looked at";
  make_ended("c", 4);
  ASSERT_TRUE(count_.look(*store_, 6).ok());
  EXPECT_EQ(beyond(6), 0) << "2 and 4 are 6";
  make_ended("d", 1);
  ASSERT_TRUE(count_.look(*store_, 6).ok());
  EXPECT_EQ(beyond(6), 9);
}

}  // namespace
}  // namespace paddock::reconciler
