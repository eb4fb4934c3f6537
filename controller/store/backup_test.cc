// Backups made while the store is in use, and put back.
#include "controller/store/backup.h"

#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "controller/store/run_writes.h"
#include "controller/store/store_test_support.h"

namespace paddock::store {
namespace {

constexpr WallTime kNow{1'750'000'000'000};

Status submit(Store& store, const std::string& name) {
  return store.write([&](WriteTxn& txn) {
    contracts::Run run = make_run(name);
    return create_run(txn, run, runs::admit(run, kNow));
  });
}

std::vector<contracts::Run> active(Store& store) {
  std::vector<contracts::Run> found;
  EXPECT_TRUE(store
                  .read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(found, txn.active_runs());
                    return {};
                  })
                  .ok());
  return found;
}

int64_t version(Store& store) {
  int64_t out = 0;
  EXPECT_TRUE(store
                  .read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(out, txn.resource_version());
                    return {};
                  })
                  .ok());
  return out;
}

TEST(Backup, IsWholeThoughWritersGoOnAndHoldsAllThatWasAcknowledgedBefore) {
  TempFolder folder;
  auto store = must_open(folder.file());
  std::atomic<bool> stop{false};
  std::atomic<int> acknowledged{0};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      if (submit(*store, cat("r", 100'000 + i)).ok()) acknowledged = i + 1;
    }
  });
  for (int round = 0; round < 3; ++round) {
    while (acknowledged < 20 * (round + 1)) std::this_thread::yield();
    const int before = acknowledged;
    const std::string target = folder.file(cat("backup-", round));
    const auto size = back_up(folder.file(), target);
    ASSERT_TRUE(size.ok()) << size.error().describe();
    EXPECT_GT(*size, 0);
    struct stat info {};
    ASSERT_EQ(::stat(target.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    const auto runs = active(*must_open(target));
    ASSERT_GE(runs.size(), static_cast<size_t>(before));
    for (size_t i = 0; i < runs.size(); ++i)
      EXPECT_EQ(runs[i].metadata.name, cat("r", 100'000 + i)) << "no hole";
  }
  stop = true;
  writer.join();
  EXPECT_EQ(back_up(folder.file(), folder.file("backup-0")).error().reason, "BACKUP_EXISTS");
}

TEST(Restore, BringsTheBackupBackAndGivesUpWhatWasPlaced) {
  TempFolder folder;
  auto store = must_open(folder.file());
  ASSERT_TRUE(submit(*store, "waits").ok());
  ASSERT_TRUE(submit(*store, "placed").ok());
  ASSERT_TRUE(store
                  ->write([&](WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", "placed"}));
                    ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, "n", kNow));
                    return save_run(txn, run, std::move(events));
                  })
                  .ok());
  ASSERT_TRUE(back_up(folder.file(), folder.file("backup")).ok());
  ASSERT_TRUE(submit(*store, "later").ok());
  const int64_t newest = version(*store);
  const auto refused = restore(folder.file("backup"), folder.file(), kNow);
  EXPECT_EQ(refused.error().reason, "STORE_LOCKED");
  EXPECT_NE(refused.error().message.find(folder.file()), std::string::npos) << "which store";
  store = nullptr;

  const auto restored = restore(folder.file("backup"), folder.file(), kNow);
  ASSERT_TRUE(restored.ok()) << restored.error().describe();
  EXPECT_EQ(restored->given_up, 1);
  store = must_open(folder.file());
  const auto runs = active(*store);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].metadata.name, "waits");
  EXPECT_GT(version(*store), newest) << "no reader takes old for new";
  EXPECT_TRUE(std::filesystem::exists(restored->kept)) << "the former store is kept";
  EXPECT_EQ(active(*must_open(restored->kept)).size(), 3u);
  EXPECT_EQ(active(*must_open(folder.file("backup"))).size(), 2u) << "the backup is as it was";
}

TEST(Restore, RefusesWhatIsNoBackupAndLeavesTheStoreAsItIs) {
  TempFolder folder;
  ASSERT_TRUE(submit(*must_open(folder.file()), "a").ok());
  EXPECT_EQ(restore(folder.file("none"), folder.file(), kNow).error().reason, "BACKUP_NOT_FOUND");
  std::ofstream(folder.file("junk")) << std::string(8192, 'x');
  std::ofstream(folder.file("short")) << "dataDir: /srv\n";
  std::ofstream(folder.file("empty")) << "";
  for (const char* name : {"junk", "short", "empty"}) {
    const auto refused = restore(folder.file(name), folder.file(), kNow);
    EXPECT_EQ(refused.error().reason, "BACKUP_NOT_FOUND") << refused.error().describe();
    EXPECT_NE(refused.error().message.find(folder.file(name)), std::string::npos);
  }
  EXPECT_EQ(active(*must_open(folder.file())).size(), 1u);
}

TEST(Restore, FindsABackupByItsNameToo) {
  TempFolder folder;
  const std::string data = folder.file("data");
  std::filesystem::create_directories(data + "/backups");
  std::ofstream(data + "/backups/mine.db") << "x";
  EXPECT_EQ(backup_file(data, "mine"), data + "/backups/mine.db");
  EXPECT_EQ(backup_file(data, "mine.db"), data + "/backups/mine.db");
  EXPECT_EQ(backup_file(data, data + "/backups/mine.db"), data + "/backups/mine.db");
  EXPECT_EQ(backup_file(data, "other"), "other");
  EXPECT_EQ(backup_file(data, "/elsewhere/mine"), "/elsewhere/mine");
}

}  // namespace
}  // namespace paddock::store
