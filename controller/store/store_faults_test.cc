// The store when its disk misbehaves, for real: full, refusing, read-only, damaged, locked. Each
// gives a stable error, loses nothing acknowledged, and is over when its cause is.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "controller/store/store_test_support.h"

namespace paddock::store {
namespace {

using Names = std::set<std::string>;

std::string reason_of(const Status& status) { return status.ok() ? "" : status.error().reason; }

std::string refusal(const std::string& path) {
  const auto opened = Store::open({path});
  return opened.ok() ? "opened" : opened.error().reason;
}

std::string bytes_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

Status add(Store& store, const std::string& name, size_t bytes = 10) {
  return store.write([&](WriteTxn& txn) {
    contracts::Run run = make_run(name);
    run.spec.command.argv.push_back(std::string(bytes, 'x'));
    return txn.create(run);
  });
}

// "name\n" of every run, or why they cannot be read.
std::string stored(Store& store) {
  std::string out;
  const Status read = store.read([&](ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto page, txn.list<contracts::Run>({}));
    for (const contracts::Run& run : page.items) out += cat(run.metadata.name, "\n");
    return {};
  });
  return read.ok() ? out : reason_of(read);
}

std::string lines(const Names& names) {
  std::string out;
  for (const std::string& name : names) out += cat(name, "\n");
  return out;
}

// What `body` returns in a process of its own, whose limits and mounts it may change. The process
// ends without closing anything that `body` leaves open, as in a crash.
std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string out = body();
    ::_exit(::write(ends[1], out.data(), out.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    out.append(buffer, static_cast<size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? out : cat("the child ended with ", status);
}

constexpr const char* kNoMounts = "mounts are not possible here";

// A disk of its own for this process, of this size.
bool mount_disk(const std::string& path, const char* size) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", path.c_str(), "tmpfs", 0, cat("size=", size).c_str()) == 0;
}
bool change_disk(const std::string& path, unsigned long flags, const char* size) {
  return ::mount("tmpfs", path.c_str(), "tmpfs", MS_REMOUNT | flags, cat("size=", size).c_str()) ==
         0;
}

struct Filled {
  Names acknowledged;
  Names reasons;  // of the refusals
};

// Four writers at once, until each was refused three times.
Filled fill(Store& store, size_t bytes) {
  Filled out;
  std::mutex mutex;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0, refused = 0; refused < 3; ++i) {
        const std::string name = cat("r-", writer, "-", i);
        const Status written = add(store, name, bytes);
        const std::lock_guard lock(mutex);
        if (written.ok()) {
          out.acknowledged.insert(name);
        } else {
          ++refused;
          out.reasons.insert(cat(written.error().reason, " ", code_name(written.error().code)));
        }
      }
    });
  }
  for (std::thread& each : writers) each.join();
  return out;
}

// Takes the last of the space, so that not even a small write fits.
void take_the_rest(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string piece(4096, 'f');
  while (::write(fd, piece.data(), piece.size()) > 0) {
  }
  ::close(fd);
}

// A refused large write leaves room in the log that small ones still fit into. Writes until neither
// a small change nor the store's own probe fits.
bool small_writes_end(Store& store, Names& acknowledged) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = cat("small-", i);
    const Status written = add(store, name);
    if (written.ok()) {
      acknowledged.insert(name);
    } else if (reason_of(written) == "STORE_FULL" &&
               reason_of(store.check_writable()) == "STORE_FULL") {
      return true;
    }
  }
  return false;
}

class StoreFaults : public testing::Test {
 protected:
  void expect(const std::string& result) {
    if (result == kNoMounts) GTEST_SKIP() << kNoMounts;
    EXPECT_EQ(result, "");
  }
  std::string fill_and_go_on(const char* size, bool in_checkpoint);

  TempFolder folder_;
  const std::string path_ = folder_.file();
};

// The first thing that is not as it should be, or nothing.
std::string StoreFaults::fill_and_go_on(const char* size, bool in_checkpoint) {
  if (!mount_disk(folder_.file(""), size)) return kNoMounts;
  auto store = must_open(path_);
  Filled filled = fill(*store, 40'000);
  if (filled.reasons != Names{"STORE_FULL Unavailable"}) return lines(filled.reasons);
  if (filled.acknowledged.size() < 5) return "hardly anything fitted";
  if (in_checkpoint) {
    const auto copied = std::filesystem::file_size(path_);
    if (copied < 5'000'000) return cat("no checkpoint was under way: ", copied);
  } else {
    take_the_rest(folder_.file("rest"));
    if (!small_writes_end(*store, filled.acknowledged)) return "does not know that it is full";
  }
  if (stored(*store) != lines(filled.acknowledged)) return "a full store cannot be read";
  if (!change_disk(folder_.file(""), 0, "256m")) return "no remount";
  if (!store->check_writable().ok()) return "does not know that there is space again";
  if (!add(*store, "z-after", 100'000).ok()) return "does not go on";
  filled.acknowledged.insert("z-after");
  store = nullptr;
  return stored(*must_open(path_)) == lines(filled.acknowledged) ? "" : "not what was acknowledged";
}

TEST_F(StoreFaults, AFullDiskRefusesWritesAndLosesNothing) {
  expect(in_child([this] { return fill_and_go_on("1m", false); }));
}

TEST_F(StoreFaults, ADiskThatFillsUpInACheckpointLosesNothing) {
  expect(in_child([this] { return fill_and_go_on("24m", true); }));
}

TEST_F(StoreFaults, ACrashOnAFullDiskLosesNothing) {
  expect(in_child([this]() -> std::string {
    if (!mount_disk(folder_.file(""), "1m")) return kNoMounts;
    const std::string acknowledged = in_child([this] {
      Store* const left_open = must_open(path_).release();
      const Filled filled = fill(*left_open, 20'000);
      take_the_rest(folder_.file("rest"));
      return lines(filled.acknowledged);
    });
    const std::string meanwhile = refusal(path_);
    if (!Names{"opened", "STORE_FULL", "STORE_IO", "STORE_UNWRITABLE"}.contains(meanwhile)) {
      return meanwhile;
    }
    if (!change_disk(folder_.file(""), 0, "64m")) return "no remount";
    const auto store = must_open(path_);
    if (stored(*store) != acknowledged) return "not what was acknowledged";
    return reason_of(add(*store, "after"));
  }));
}

TEST_F(StoreFaults, AWriteThatTheSystemRefusesIsAnErrorAndNoMore) {
  expect(in_child([this]() -> std::string {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit before = limit;
    auto store = must_open(path_);
    limit.rlim_cur = 300'000;  // of a single file; beyond it write() fails with EFBIG
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Filled filled = fill(*store, 10'000);
    if (filled.reasons != Names{"STORE_IO Unavailable"}) return lines(filled.reasons);
    ::setrlimit(RLIMIT_FSIZE, &before);
    if (!add(*store, "z-after").ok()) return "does not go on";
    filled.acknowledged.insert("z-after");
    store = nullptr;
    return stored(*must_open(path_)) == lines(filled.acknowledged) ? "" : "not what was promised";
  }));
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
