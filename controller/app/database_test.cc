// Which store the configuration chooses, and what keeps it from being chosen by mistake.
#include "controller/app/database.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "controller/store/lead_watch.h"
#include "controller/store/move_store.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

class ChosenStore : public testing::Test {
 protected:
  ChosenStore() {
    config_.data_dir = folder_.path();
    folder_.write("url", "postgresql:///paddock\n", 0600);
  }
  Result<store::StoreOptions> chosen() { return store_options(config_, random_); }
  std::string reason() {
    const auto options = chosen();
    return options.ok() ? "" : options.error().reason.str();
  }
  const test::TempDir folder_;
  SeededRandom random_{1};
  Config config_;
};

TEST_F(ChosenStore, IsAFileUnlessAUrlIsGiven) {
  const auto file = chosen();
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->path, folder_ / "paddock.db");
  EXPECT_FALSE(file->postgres);
  config_.store.postgres.url_file = folder_ / "url";
  const auto database = chosen();
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(database->path, "");
  EXPECT_EQ(database->postgres->url, "postgresql:///paddock");
  EXPECT_EQ(database->postgres->holder, chosen()->postgres->holder) << "the same after a restart";
}

// A folder that leads to itself (ELOOP) is one that root cannot look into either.
TEST_F(ChosenStore, IsNoneWhereItCannotBeKnownWhatTheDataFolderHas) {
  ASSERT_EQ(::symlink("loop", (folder_ / "loop").c_str()), 0);
  config_.data_dir = folder_ / "loop";
  config_.store.postgres.url_file = folder_ / "url";
  EXPECT_FALSE(store_options_as_they_are(config_).ok());
  EXPECT_FALSE(store::check_not_moving(store_file(config_)).ok());
}

// Two that both took the lease for their own would take it from each other for ever.
TEST_F(ChosenStore, IsAnotherControllersInACopyOfTheDataFolder) {
  config_.store.postgres.url_file = folder_ / "url";
  const std::string own = chosen()->postgres->holder;
  EXPECT_EQ(postgres_options_as_they_are(config_)->holder, own);
  const test::TempDir other;
  std::filesystem::copy(folder_ / "store-holder", other / "store-holder");
  config_.data_dir = other.path();
  const std::string copy = chosen()->postgres->holder;
  EXPECT_NE(copy, own);
  EXPECT_EQ(store::instance_of(copy), store::instance_of(own));
  EXPECT_FALSE(store::is_holder(own, copy));
  EXPECT_TRUE(store::is_holder(store::instance_of(own), own)) << "of an older version";
  EXPECT_FALSE(store::is_holder("", own));
}

TEST_F(ChosenStore, IsNeverBoth) {
  folder_.write("paddock.db", "", 0600);
  config_.store.postgres.url_file = folder_ / "url";
  EXPECT_EQ(reason(), "STORE_CHOSEN_TWICE");
}

TEST_F(ChosenStore, IsNeitherWhileItIsBeingMoved) {
  folder_.write("paddock.db.move", "postgres 01234567-89ab-4def-8123-456789abcdef\n", 0600);
  EXPECT_EQ(reason(), "STORE_MOVE_UNFINISHED");
  EXPECT_NE(chosen().error().message.find("--migrate-store postgres"), std::string::npos);
  config_.store.postgres.url_file = folder_ / "url";
  EXPECT_EQ(reason(), "STORE_MOVE_UNFINISHED");
  folder_.write("paddock.db.move", "x", 0600);
  EXPECT_EQ(reason(), "STORE_MOVE_UNFINISHED");
}

TEST_F(ChosenStore, IsNotNamedByAFileThatEverybodyReads) {
  config_.store.postgres.url_file = folder_ / "nothing";
  EXPECT_EQ(reason(), "STORE_URL_INVALID");
  folder_.write("open", "postgresql:///paddock\n", 0644);
  config_.store.postgres.url_file = folder_ / "open";
  EXPECT_EQ(reason(), "STORE_URL_INVALID");
  EXPECT_EQ(chosen().error().causes.at(0).field, "store.postgres.urlFile");
}

}  // namespace
}  // namespace paddock::app
