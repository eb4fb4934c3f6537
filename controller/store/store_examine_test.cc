// What is looked at in a file before it is used as a store, and meanwhile where it is large.
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "controller/store/examine.h"
#include "controller/store/store_file_test_support.h"

namespace paddock::store {
namespace {

TEST(StoreFile, RefusesANewerSchemaAndAForeignDatabase) {
  TempFolder folder;
  must_open(folder.file()).reset();
  raw_sql(folder.file(), "PRAGMA user_version=99");
  EXPECT_EQ(refusal(folder.file()), "STORE_SCHEMA_TOO_NEW");
  raw_sql(folder.file("other"), "CREATE TABLE t (x)");
  EXPECT_EQ(refusal(folder.file("other")), "STORE_NOT_OURS");
}

// Opened and not closed: what was committed is in the log alone, as after a crash.
class Logged : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sqlite3_open(folder_.file().c_str(), &db_), SQLITE_OK);
    sql("PRAGMA journal_mode=WAL");
    sql("PRAGMA wal_autocheckpoint=0");
  }
  ~Logged() override { sqlite3_close(db_); }
  void sql(const char* text) {
    EXPECT_EQ(sqlite3_exec(db_, text, nullptr, nullptr, nullptr), SQLITE_OK) << text;
  }
  std::string examined() {
    StoreOptions options;
    options.path = folder_.file();
    const auto found = examine(options, clock_);
    return found.ok() ? cat("schema ", found->schema) : found.error().reason.str();
  }
  TempFolder folder_;
  ManualClock clock_;
  sqlite3* db_ = nullptr;
};

TEST_F(Logged, ATableOfAnotherProgramIsSeenWhereOnlyTheLogHasIt) {
  EXPECT_EQ(examined(), "schema 0") << "an empty one may become ours";
  sql("CREATE TABLE t (x)");
  EXPECT_EQ(examined(), "STORE_NOT_OURS");
}

TEST_F(Logged, WhatWasNotCommittedOrIsTornDoesNotCount) {
  sql("PRAGMA cache_size=1; BEGIN; CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(200000))");
  EXPECT_GT(std::filesystem::file_size(folder_.file() + "-wal"), 0U);
  EXPECT_EQ(examined(), "schema 0");
  sql("COMMIT");
  EXPECT_EQ(examined(), "STORE_NOT_OURS");
  std::fstream log(folder_.file() + "-wal", std::ios::in | std::ios::out | std::ios::binary);
  log.seekp(60);
  log.put('\x5a');
  log.close();
  EXPECT_EQ(examined(), "schema 0") << "a frame with another sum ends the log";
}

TEST_F(Logged, APageThatWasWrittenTwiceIsTheLaterOne) {
  sql("CREATE TABLE t (x)");
  sql("DROP TABLE t");
  EXPECT_EQ(examined(), "schema 0");
  sql("PRAGMA user_version=7");
  EXPECT_EQ(examined(), "STORE_NOT_OURS");
}

TEST(StoreFile, RefusesADamagedFileAndLeavesItAsItIs) {
  TempFolder folder;
  {
    const auto store = must_open(folder.file());
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(add_row(*store, cat("r", i)).ok());
  }
  std::fstream file(folder.file(), std::ios::in | std::ios::out | std::ios::binary);
  const std::string noise(4096, '\x5a');
  for (const int page : {3, 5, 7, 9}) {
    file.seekp(std::streamoff{page} * 4096);
    file.write(noise.data(), static_cast<std::streamsize>(noise.size()));
  }
  file.close();
  EXPECT_EQ(refusal(folder.file()), "STORE_CORRUPT");
  std::ofstream(folder.file("text")) << std::string(8192, 'x');
  EXPECT_EQ(refusal(folder.file("text")), "STORE_CORRUPT");
}

// Small files are examined whole before they are used, and large ones meanwhile.
TEST(StoreFile, ALargeFileIsLookedAtWhileItIsUsedAndDamageEndsAllWrites) {
  TempFolder folder;
  const auto open_unchecked = [&] {
    return Store::open({.path = folder.file(), .checked_at_start = 0});
  };
  {
    const auto store = must_open(folder.file());
    for (int i = 0; i < 400; ++i) ASSERT_TRUE(add_row(*store, cat("r", i)).ok());
  }
  {
    const auto sound = open_unchecked();
    ASSERT_TRUE(sound.ok());
    EXPECT_TRUE(add_row(**sound, "more").ok());
  }
  const auto pages = static_cast<int>(std::filesystem::file_size(folder.file()) / 4096);
  std::fstream file(folder.file(), std::ios::in | std::ios::out | std::ios::binary);
  const std::string noise(4096, '\x5a');
  for (int page = pages / 2; page < pages; ++page) {
    file.seekp(std::streamoff{page} * 4096);
    file.write(noise.data(), static_cast<std::streamsize>(noise.size()));
  }
  file.close();
  const auto damaged = open_unchecked();
  ASSERT_TRUE(damaged.ok()) << damaged.error().describe();
  Status written;
  for (int i = 0; written.ok() && i < 120'000; ++i) {
    written = (*damaged)->check_writable();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().reason, "STORE_CORRUPT");
  EXPECT_EQ(add_row(**damaged, "too-late").error().reason, "STORE_CORRUPT");
}

}  // namespace
}  // namespace paddock::store
