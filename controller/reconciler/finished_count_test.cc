// How many ended runs are beyond what is kept, and when they are counted.
#include "controller/reconciler/finished_count.h"

#include <gtest/gtest.h>

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

  std::unique_ptr<store::Store> store_ = store::must_open();
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
  ASSERT_TRUE(count_.look(*store_, 3).ok());
  EXPECT_EQ(beyond(3), 0);
  make_ended("b", 3);
  ASSERT_TRUE(count_.look(*store_, 3).ok());
  EXPECT_EQ(beyond(3), 2);
}

}  // namespace
}  // namespace paddock::reconciler
