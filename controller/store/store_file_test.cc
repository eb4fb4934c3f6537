// The store as a file: what survives, and what becomes of damage while it is used.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "controller/store/store_file_test_support.h"

namespace paddock::store {
namespace {

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
