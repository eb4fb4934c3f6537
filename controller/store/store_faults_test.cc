// The store when its disk is read-only, damaged or locked, for real. Each gives a stable error,
// loses nothing acknowledged, and is over when its cause is.
#include <fstream>
#include <sstream>

#include <sqlite3.h>

#include "controller/store/store_faults_test_support.h"

namespace paddock::store {
namespace {

std::string bytes_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

TEST_F(StoreFaults, AReadOnlyDiskIsRefusedAtTheDoor) {
  expect(in_child([this]() -> std::string {
    const std::string disk = folder_.file("");
    if (!mount_disk(disk, "8m")) return kNoMounts;
    if (!add(*must_open(path_), "a").ok()) return "no write";
    if (!change_disk(disk, MS_RDONLY, "8m")) return "no remount";
    if (refusal(path_) != "STORE_UNWRITABLE") return refusal(path_);
    if (!change_disk(disk, 0, "8m")) return "no remount";
    return stored(*must_open(path_)) == "a\n" ? "" : "not what was acknowledged";
  }));
  EXPECT_EQ(refusal(folder_.file("")), "STORE_UNWRITABLE") << "a folder is no store";
}

TEST_F(StoreFaults, AnotherProcessThatHoldsTheDatabaseIsWaitedForAndThenTold) {
  const auto store = must_open(path_);
  ASSERT_TRUE(add(*store, "a").ok());
  int ready[2];
  int release[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(release, O_CLOEXEC), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    ::close(release[1]);
    sqlite3* db = nullptr;
    sqlite3_open(path_.c_str(), &db);
    const int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    char byte = rc == SQLITE_OK ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(release[0], &byte, 1);
    ::_exit(0);
  }
  char held = 0;
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  ASSERT_EQ(held, 'y');
  EXPECT_EQ(reason_of(add(*store, "b")), "STORE_BUSY");
  EXPECT_EQ(stored(*store), "a\n") << "reading goes on";
  for (const int fd : {ready[0], ready[1], release[0], release[1]}) ::close(fd);
  ::waitpid(other, nullptr, 0);
  EXPECT_TRUE(store->check_writable().ok());
  EXPECT_TRUE(add(*store, "c").ok());
  EXPECT_EQ(stored(*store), "a\nc\n");
}

// Enough runs for many pages, all of them in the file itself.
void fill_file(const std::string& path) {
  const auto store = must_open(path);
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(add(*store, cat("r", i), 1'000).ok());
}

TEST_F(StoreFaults, DamageUnderARunningStoreIsAnErrorAndNoCrash) {
  fill_file(path_);
  expect(in_child([this]() -> std::string {
    const auto store = must_open(path_);
    const std::string noise(4096 * 40, '\x5a');
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (::pwrite(fd, noise.data(), noise.size(), 4096 * 4) < 0) return "no damage";
    const std::string said = stored(*store);
    return said == "STORE_CORRUPT" ? "" : said.substr(0, 100);
  }));
}

TEST_F(StoreFaults, AFileCutShortUnderARunningStoreIsAnErrorAndNoCrash) {
  fill_file(path_);
  expect(in_child([this]() -> std::string {
    const auto store = must_open(path_);
    if (::truncate(path_.c_str(), 4096 * 4) != 0) return "no damage";
    const std::string said = stored(*store);
    return said == "STORE_CORRUPT" || said == "STORE_IO" ? "" : said.substr(0, 100);
  }));
}

TEST_F(StoreFaults, WhatIsRefusedIsLeftAsItIs) {
  must_open(path_).reset();
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "PRAGMA user_version=99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  ASSERT_EQ(sqlite3_open(folder_.file("foreign").c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "CREATE TABLE t (x)", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  std::ofstream(folder_.file("text")) << std::string(8192, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"store.db", "STORE_SCHEMA_TOO_NEW"},
      {"foreign", "STORE_NOT_OURS"},
      {"text", "STORE_CORRUPT"}};
  for (const auto& [name, reason] : cases) {
    const std::string before = bytes_of(folder_.file(name));
    EXPECT_EQ(refusal(folder_.file(name)), reason);
    EXPECT_EQ(refusal(folder_.file(name)), reason) << "and again";
    EXPECT_EQ(bytes_of(folder_.file(name)), before) << name;
  }
}

}  // namespace
}  // namespace paddock::store
