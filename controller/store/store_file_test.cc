// The store as a file: what it refuses, and what survives.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "controller/store/examine.h"
#include "controller/store/store_test_support.h"

namespace paddock::store {
namespace {

std::string refusal(const std::string& path) {
  const auto opened = Store::open({path});
  return opened.ok() ? "opened" : opened.error().reason.str();
}

void raw_sql(const std::string& path, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

Status add_row(Store& store, const std::string& name) {
  return store.write([&](WriteTxn& txn) {
    contracts::Run run = make_run(name);
    return txn.create(run);
  });
}

bool contains(Store& store, const std::string& name) {
  bool found = false;
  EXPECT_TRUE(store
                  .read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto run, txn.find<contracts::Run>({"default", name}));
                    found = run.has_value();
                    return {};
                  })
                  .ok());
  return found;
}

// As where a mount went away over an older folder of the same controller.
TEST(StoreFile, AnotherOneInItsPlaceIsNeitherReadNorWritten) {
  TempFolder folder;
  const std::string away = folder.file() + ".away";
  const std::string below = folder.file() + ".below";
  ASSERT_TRUE(add_row(*must_open(below), "older").ok());
  const auto store = must_open(folder.file());
  ASSERT_TRUE(add_row(*store, "a").ok());
  ASSERT_EQ(::rename(folder.file().c_str(), away.c_str()), 0);
  ASSERT_EQ(::rename(below.c_str(), folder.file().c_str()), 0);
  const auto nothing = [](ReadTxn&) { return Status(); };
  EXPECT_EQ(store->read(nothing).error().reason, "STORE_IO");
  EXPECT_EQ(add_row(*store, "b").error().reason, "STORE_IO");
  EXPECT_EQ(store->check_writable().error().reason, "STORE_IO");
  ASSERT_EQ(::rename(folder.file().c_str(), below.c_str()), 0);
  EXPECT_EQ(store->read(nothing).error().reason, "STORE_IO") << "nothing is there";
  ASSERT_EQ(::rename(away.c_str(), folder.file().c_str()), 0);
  EXPECT_TRUE(contains(*store, "a")) << "it is back";
  EXPECT_FALSE(contains(*store, "older"));
  EXPECT_TRUE(add_row(*store, "b").ok());
}

TEST(StoreFile, SurvivesBeingClosedAndIsPrivate) {
  TempFolder folder;
  ASSERT_TRUE(add_row(*must_open(folder.file()), "a").ok());
  EXPECT_TRUE(contains(*must_open(folder.file()), "a"));
  struct stat info {};
  ASSERT_EQ(::stat(folder.file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(StoreFile, RefusesASecondOpener) {
  TempFolder folder;
  const auto first = must_open(folder.file());
  EXPECT_EQ(refusal(folder.file()), "STORE_LOCKED");
}

TEST(StoreFile, ARunThatCannotBeReadHidesNoOtherAndIsNamed) {
  TempFolder folder;
  {
    const auto store = must_open(folder.file());
    for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(add_row(*store, name).ok());
  }
  raw_sql(folder.file(),
          "UPDATE objects SET data = json_set(data, '$.status.newField', 1) WHERE name = 'b'");
  raw_sql(folder.file(), "UPDATE objects SET data = 'x' || data WHERE name = 'c'");
  const auto store = must_open(folder.file());
  std::vector<std::string> names;
  Error why;
  EXPECT_TRUE(store
                  ->read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto listed, txn.list<contracts::Run>({}));
                    for (const contracts::Run& run : listed.items)
                      names.push_back(run.metadata.name);
                    why = txn.find<contracts::Run>({"default", "b"}).error();
                    return {};
                  })
                  .ok());
  EXPECT_EQ(names, std::vector<std::string>{"a"});
  EXPECT_EQ(why.reason, "STORE_DATA_INVALID");
  EXPECT_NE(why.describe().find("default/b"), std::string::npos) << why.describe();
}

template <class T>
std::string add_and_damage(const std::string& path) {
  Error why;
  {
    const auto store = must_open(path);
    EXPECT_TRUE(store
                    ->write([](WriteTxn& txn) -> Status {
                      for (const char* name : {"a", "b"}) {
                        T object;
                        object.metadata.name = name;
                        object.metadata.uid = cat(T::kKind, name);
                        object.metadata.name_space = "default";
                        TRY(txn.create(object));
                      }
                      return {};
                    })
                    .ok());
  }
  raw_sql(path,
          cat("UPDATE objects SET data = json_set(data, '$.status.newField', 1) WHERE kind = '",
              T::kKind, "' AND name = 'b'")
              .c_str());
  std::string names;
  EXPECT_TRUE(must_open(path)
                  ->read([&](ReadTxn& txn) -> Status {
                    EXPECT_EQ(txn.list<T>({}).error().reason, "STORE_DATA_INVALID");
                    ListOptions options;
                    options.leave_out = true;
                    const auto listed = txn.list<T>(options);
                    names = listed.ok() ? "" : listed.error().reason.str();
                    if (listed.ok())
                      for (const T& each : listed->items) names += each.metadata.name;
                    EXPECT_FALSE(txn.find_readable<T>({"default", "b"})->has_value());
                    EXPECT_TRUE(txn.find_readable<T>({"default", "a"})->has_value());
                    return {};
                  })
                  .ok());
  return names;
}

TEST(StoreFile, AListThatMayLeaveOutHidesNoOtherButOfGrants) {
  TempFolder folder;
  EXPECT_EQ(add_and_damage<contracts::Sandbox>(folder.file()), "a");
  EXPECT_EQ(add_and_damage<contracts::Volume>(folder.file()), "a");
  EXPECT_EQ(add_and_damage<contracts::Grant>(folder.file()), "STORE_DATA_INVALID")
      << "one that bounds must not be missed";
}

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

// Of all files, as long as that takes no time that anybody notices.
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

// A child writes and reports each acknowledged name through a pipe until it is killed.
[[noreturn]] void write_until_killed(const std::string& path, int report, int round) {
  const auto store = must_open(path);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0;; ++i) {
        const std::string name = cat("r", round, "-", writer, "-", i, "\n");
        if (!add_row(*store, name.substr(0, name.size() - 1)).ok()) ::_exit(3);
        if (::write(report, name.data(), name.size()) < 0) ::_exit(4);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  ::_exit(0);
}

// Lets the child run until it acknowledged `enough` names, kills it, and returns all it reported.
std::string acknowledged_before_kill(const std::string& path, int round, size_t enough) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) write_until_killed(path, ends[1], round);
  ::close(ends[1]);
  std::string names;
  char buffer[4096];
  bool killed = false;
  while (true) {
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    names.append(buffer, static_cast<size_t>(got));
    const auto lines = static_cast<size_t>(std::count(names.begin(), names.end(), '\n'));
    if (!killed && lines >= enough) killed = ::kill(child, SIGKILL) == 0;
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return names.substr(0, names.rfind('\n') + 1);
}

TEST(StoreFile, KeepsEveryAcknowledgedWriteWhenKilled) {
  TempFolder folder;
  size_t checked = 0;
  for (int round = 0; round < 5; ++round) {
    const std::string names =
        acknowledged_before_kill(folder.file(), round, 20 + 30 * static_cast<size_t>(round));
    const auto store = must_open(folder.file());
    for (const std::string& name : split(trim(names), '\n')) {
      EXPECT_TRUE(contains(*store, name)) << name << " was acknowledged and is gone";
      ++checked;
    }
  }
  EXPECT_GE(checked, 400u);
}

TEST(StoreFile, ATruncatedLogCostsOnlyItsTail) {
  TempFolder folder;
  const std::string names = acknowledged_before_kill(folder.file(), 0, 60);
  const std::string wal = folder.file("store.db-wal");
  struct stat info {};
  ASSERT_EQ(::stat(wal.c_str(), &info), 0);
  ASSERT_EQ(::truncate(wal.c_str(), info.st_size * 2 / 3 + 17), 0);
  const auto store = must_open(folder.file());
  EXPECT_TRUE(contains(*store, names.substr(0, names.find('\n'))));
  EXPECT_TRUE(add_row(*store, "after").ok());
}

int64_t pragma_of(const std::string& path, const char* name) {
  sqlite3* db = nullptr;
  sqlite3_stmt* asked = nullptr;
  int64_t out = -1;
  EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(db, cat("PRAGMA ", name).c_str(), -1, &asked, nullptr), SQLITE_OK);
  if (sqlite3_step(asked) == SQLITE_ROW) out = sqlite3_column_int64(asked, 0);
  sqlite3_finalize(asked);
  sqlite3_close(db);
  return out;
}

void put_large(Store& store, int number, size_t bytes) {
  EXPECT_TRUE(store
                  .write([&](WriteTxn& txn) {
                    return txn.put_setting(cat("large-", number), std::string(bytes, 'x'));
                  })
                  .ok());
}

TEST(StoreFile, ShrinksOnceMuchOfItIsFree) {
  TempFolder folder;
  {
    const auto store = must_open(folder.file());
    for (int i = 0; i < 64; ++i) put_large(*store, i, 1 << 20);
    for (int i = 0; i < 64; ++i) put_large(*store, i, 1);
    for (int i = 0; i < 64; ++i) put_large(*store, i, 2);  // what is written next takes parts along
  }
  EXPECT_LT(pragma_of(folder.file(), "page_count"), 10 << 10) << "of 16 Ki; 4 Ki are kept";
}

TEST(StoreFile, OneOfBeforeItCouldShrinkIsWrittenAnewOnce) {
  TempFolder folder;
  must_open(folder.file()).reset();
  raw_sql(folder.file(), "PRAGMA journal_mode=DELETE; PRAGMA auto_vacuum=NONE; VACUUM");
  ASSERT_EQ(pragma_of(folder.file(), "auto_vacuum"), 0);
  ASSERT_TRUE(add_row(*must_open(folder.file()), "a").ok());
  EXPECT_EQ(pragma_of(folder.file(), "auto_vacuum"), 2);
  EXPECT_TRUE(contains(*must_open(folder.file()), "a"));
}

}  // namespace
}  // namespace paddock::store
