// What a standby tells, and the leader that it becomes.
#include "controller/app/follower.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/store/postgres_test_support.h"
#include "controller/store/store_test_support.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

Status write_run(store::Store& store, const std::string& name) {
  return store.write([&](store::WriteTxn& txn) -> Status {
    contracts::Run run = store::make_run(name);
    return txn.create(run);
  });
}

class Followers : public testing::Test {
 protected:
  void SetUp() override {
    server_ = store::PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << store::PostgresServer::kMissing;
    database_ = server_->new_database();
    config_.data_dir = folder_.path();
    store::StoreOptions options;
    options.postgres = store::PostgresServer::options(server_->url(database_), "the leader");
    leader_ = store::Store::open(options).value();
    follower_ = Follower::open(config_, {clock_, random_}, *options.postgres).value();
    ASSERT_TRUE(follower_->keep_up().ok());
  }
  const events::WatchHistory& history() const { return follower_->services()->history; }

  store::PostgresServer* server_ = nullptr;
  std::string database_;
  test::TempDir folder_;
  ManualClock clock_;
  SystemRandom random_;
  Config config_;
  std::unique_ptr<store::Store> leader_;
  std::unique_ptr<Follower> follower_;
};

// The tables that are not logged are empty then, and the leader keeps no texts until it is told
// again that somebody follows.
TEST_F(Followers, BeginAnewOnceAfterACrashOfTheDatabase) {
  server_->query(database_, "TRUNCATE paddock_followed, paddock_change_texts");
  ASSERT_TRUE(write_run(*leader_, "untold").ok());
  ASSERT_TRUE(follower_->keep_up().ok());
  const int64_t begun = history().up_to();
  EXPECT_EQ(history().after("Run", begun - 1, 10).error().reason, "RESOURCE_VERSION_TOO_OLD");
  ASSERT_TRUE(follower_->keep_up().ok());
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(write_run(*leader_, name).ok());
    ASSERT_TRUE(follower_->keep_up().ok());
  }
  EXPECT_EQ(history().after("Run", begun, 10).value().changes.size(), 2U);
}

TEST_F(Followers, BeginAnewWhereNumbersAreGivenAgain) {
  const int64_t begun = history().up_to();
  server_->query(database_, "UPDATE paddock_followed SET mark = 'of the replica that took over'");
  ASSERT_TRUE(write_run(*leader_, "another history").ok());
  ASSERT_TRUE(follower_->keep_up().ok());
  EXPECT_EQ(history().after("Run", begun, 10).error().reason, "RESOURCE_VERSION_TOO_OLD");
}

// What the feed has told may be of another server than the one that is led now.
TEST(FollowersAsLeaders, BeginAnewWhereTheStoreIsNotWhatWasTold) {
  const test::TempDir folder;
  ManualClock clock;
  SystemRandom random;
  Config config;
  config.data_dir = folder.path();
  const auto told = std::make_shared<standby::Services>(64);
  int64_t version = 0;
  const auto lead = [&] {
    return Controller::open(config, {clock, random}, Takeover{told, [] { return Status(); }})
        .value();
  };
  {
    const auto controller = lead();
    ASSERT_TRUE(write_run(controller->store(), "one").ok());
    version = told->history.up_to();
    ASSERT_GT(version, 0);
  }
  EXPECT_TRUE((lead(), told->history.after("Run", 0, 10).ok())) << "it was told all of it";
  told->history.begin(version - 1);
  const uint64_t seen = told->notifier.version(store::kind_topic("Run"));
  const auto controller = lead();
  EXPECT_EQ(told->history.up_to(), version);
  EXPECT_FALSE(told->history.after("Run", version - 1, 10).ok());
  EXPECT_NE(told->notifier.version(store::kind_topic("Run")), seen) << "whoever waits hears of it";
}

}  // namespace
}  // namespace paddock::app
