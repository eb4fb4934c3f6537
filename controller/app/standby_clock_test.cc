// A controller whose clock is wrong says so, and a standby leaves the lead to another one for a
// while.
#include <gtest/gtest.h>

#include "common/os/file.h"
#include "controller/app/standby.h"
#include "controller/store/postgres_test_support.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

class StandbyClock : public testing::Test {
 protected:
  void SetUp() override {
    server_ = store::PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << store::PostgresServer::kMissing;
    store::StoreOptions options;
    options.postgres =
        store::PostgresServer::options(server_->url(server_->new_database()), "the leader");
    leader_ = store::Store::open(options).value();
    // Who never wrote does not end its lease early.
    ASSERT_TRUE(leader_->write([](auto& txn) { return txn.put_setting("led", "yes"); }).ok());
    folder_.write("url", options.postgres->url + "\n", 0600);
    config_.data_dir = folder_ / "data";
    ASSERT_TRUE(os::make_dirs(config_.data_dir, 0700).ok());
    config_.plain_http = true;
    config_.port = 0;
    config_.store.postgres.url_file = folder_ / "url";
  }
  // Ends the leader at the first rest. How many rests there were until this one leads.
  int rests_until_it_leads() {
    int rests = 0;
    const Dependencies dependencies{clock_, random_, {}};
    const auto opened = open_in_turn(config_, dependencies, [&](Millis limit) {
      leader_.reset();
      clock_.advance(limit);
      return ++rests < 1'000;
    });
    EXPECT_TRUE(opened.ok() && *opened != nullptr);
    return rests;
  }

  store::PostgresServer* server_ = nullptr;
  test::TempDir folder_;
  ManualClock clock_{SystemClock().wall()};
  SystemRandom random_;
  Config config_;
  std::unique_ptr<store::Store> leader_;
};

TEST_F(StandbyClock, ThatIsWrongIsSaidAndLeavesTheLeadToAnother) {
  clock_.skew_wall(Millis(600'000));
  testing::internal::CaptureStderr();
  const int rests = rests_until_it_leads();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("CLOCK_WRONG"), std::string::npos) << log;
  EXPECT_NE(log.find("behind this host's"), std::string::npos) << log;
  EXPECT_GE(rests, 50) << "5 s of 100 ms each";
  EXPECT_LT(rests, 60) << "and leads where nobody else does";
}

TEST_F(StandbyClock, OfALeaderGoesWrongLater) {
  leader_.reset();
  const Dependencies dependencies{clock_, random_, {}};
  const auto opened = open_in_turn(config_, dependencies, [](Millis) { return true; });
  ASSERT_TRUE(opened.ok() && *opened != nullptr);
  const auto looked = [&] {
    testing::internal::CaptureStderr();
    (*opened)->look_at_clock();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(looked(), "");
  clock_.skew_wall(Millis(600'000));
  EXPECT_NE(looked().find("CLOCK_WRONG"), std::string::npos);
  EXPECT_EQ(looked(), "") << "once";
  clock_.skew_wall(Millis(-600'000));
  EXPECT_NE(looked().find("the clock is right again"), std::string::npos);
}

TEST_F(StandbyClock, ThatIsRightIsNotSaid) {
  testing::internal::CaptureStderr();
  const int rests = rests_until_it_leads();
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("CLOCK_WRONG"), std::string::npos);
  EXPECT_LT(rests, 50);
}

}  // namespace
}  // namespace paddock::app
