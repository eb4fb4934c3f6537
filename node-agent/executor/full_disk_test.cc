// Runs of a node whose disk is full: they end under that name, and others run once there is room.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/contracts/node.h"
#include "node-agent/executor/disk_probe.h"
#include "node-agent/executor/run_life_fixture.h"
#include "tests/support/ordinary_user.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::executor {
namespace {

// Whatever is left, to the last byte.
void fill(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string bytes(4096, 'x');
  while (::write(file.get(), bytes.data(), bytes.size()) > 0) {
  }
}

// Whatever is left of what there may be.
void use_up_files(const std::string& folder) {
  const auto make = [&](int number) {
    const std::string path = cat(folder, "/filler-", number);
    return os::Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).valid();
  };
  for (int number = 0; make(number); ++number) {
  }
}

void expect(const std::string& said, const std::string& wanted) {
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, wanted);
}

TEST_F(Life, AFullDiskEndsARunByNameBeforeItStartsAndTheNextAttemptRuns) {
  behave("ok");
  expect(test::in_child([this]() -> std::string {
           if (!test::mount_disk(config.runs_dir, "128k")) return test::kNoMounts;
           life = accept();
           fill(config.runs_dir + "/filler");
           life->run();
           const contracts::RunOutcome full = last_outcome();
           if (full.reason != contracts::kNodeDiskFull || full.result || starts() != 0)
             return cat("full: ", full.reason, ": ", full.message);
           if (!test::change_disk(config.runs_dir, 0, "16m")) return "no remount";
           assignment.attempt = 2;
           return run().reason;
         }),
         "Completed");
}

// As after a loss of power, which took the launcher's file.
TEST_F(Life, ARunThatWasBegunIsTakenUpOnAFullDisk) {
  behave("ok");
  expect(test::in_child([this]() -> std::string {
           if (!test::mount_disk(config.runs_dir, "1m,nr_inodes=64")) return test::kNoMounts;
           if (!folder().create(assignment).ok() ||
               !folder().store(RunRecord{.stage = Stage::kLaunching}).ok())
             return "no folder";
           use_up_files(config.runs_dir);
           const auto next = RunLife::recover(ports(), cat(kUid, "-1"));
           if (!next.ok()) return next.error().describe();
           (*next)->run();
           return last_outcome().reason;
         }),
         contracts::kNodeDiskFull);
}

class SmallDisk : public Life {
 protected:
  // In a process with mounts of its own.
  std::string end_on_small_disk() {
    if (!test::mount_disk(config.runs_dir, "1m")) return test::kNoMounts;
    const contracts::RunOutcome out = run();
    return cat(out.reason, out.refused ? " refused" : "", out.result ? " with a result" : "");
  }
};

TEST_F(SmallDisk, ALauncherLostOnAFullDiskIsToldAsThatAndNotStartedAgain) {
  behave("full-die");
  expect(test::in_child([this] { return end_on_small_disk(); }), contracts::kNodeDiskFull);
}

TEST_F(SmallDisk, ASandboxThatCannotBeSetUpOnAFullDiskIsNoFailureOfTheRun) {
  behave("full-setup");
  expect(test::in_child([this] { return end_on_small_disk(); }), "NODE_DISK_FULL refused");
}

TEST_F(Life, ASandboxThatCannotBeSetUpOnAWellDiskIsOne) {
  behave("no-setup");
  EXPECT_EQ(run().reason, "SandboxError");
}

TEST_F(Life, AnArtifactThatTheDiskDoesNotGiveIsNamedAndTheResultIsKept) {
  upload_fails = system_error("reading the file to send", EIO);
  behave("ok");
  contracts::RunOutcome out = run();
  EXPECT_EQ(out.phase, contracts::RunPhase::kFailed);
  EXPECT_EQ(out.reason, contracts::kDiskFails);
  ASSERT_TRUE(out.result);
  EXPECT_EQ(out.result->rc, 0);
  EXPECT_TRUE(out.artifacts.empty());
  ASSERT_EQ(out.left_out.size(), 1u);
  EXPECT_EQ(out.left_out[0].path, "out/result.json");
  assignment.attempt = 2;
  behave("fail");
  out = run();
  EXPECT_EQ(out.reason, "NonZeroExit") << "its own end is worse";
  EXPECT_EQ(out.left_out.size(), 1u);
}

TEST_F(Life, FilesWithoutRoomHereGoElsewhereBeforeAnyOfThemCame) {
  behave("ok");
  tree.entries[0].size = int64_t{1} << 40;
  tree.entries.push_back(tree.entries[0]);  // a terabyte of which a few bytes were sent
  tree.entries[1].path = "twice.py";
  assignment.workspace_root = cas::tree_root(tree);
  int told = 0;
  disk = std::make_unique<devices::DiskLedger>(base, 0, [&] { ++told; });
  const contracts::RunOutcome out = run();
  EXPECT_EQ(out.reason, devices::kNodeDiskTooSmall);
  EXPECT_TRUE(out.refused.value_or(false));
  EXPECT_EQ(out.disk_needed->bytes, 3 * (int64_t{1} << 40)) << "one blob and two files";
  EXPECT_NE(out.message.find("3.0 TiB"), std::string::npos) << out.message;
  EXPECT_EQ(told, 1) << "and the node says what it has";
  EXPECT_FALSE(disk->is_short()) << "there is nothing to prune for it";
  EXPECT_EQ(disk->held(), 0);
  EXPECT_FALSE(store->has(tree.entries[0].digest));
}

TEST_F(Life, TellsWhatItHasWrittenOfTheDiskThatItAskedFor) {
  behave("ok");
  assignment.spec.resources.emplace().disk = wire::Quantity{100'000};
  life = accept();
  EXPECT_EQ(life->written_as_asked(), 0);
  life->run();
  // Its command has written one small file.
  EXPECT_LE(life->written(), 8192) << "a folder, and no files that it brings";
  ASSERT_TRUE(os::make_dirs(folder().workspace() + "/sub").ok());
  // Again until the clock of the file system has moved on from the launch.
  do {
    ASSERT_TRUE(os::write_file_atomic(folder().workspace() + "/sub/a", std::string(20'000, 'x')));
  } while (life->written() < 20'000);
  EXPECT_GE(life->written_as_asked(), 20'000);
  EXPECT_LT(life->written_as_asked(), 100'000);
  ASSERT_TRUE(os::write_file_atomic(folder().workspace() + "/b", std::string(200'000, 'x')));
  EXPECT_EQ(life->written_as_asked(), 100'000) << "no more than that";
  // What cannot be opened is not empty.
  EXPECT_GE(life->taken().bytes, 220'000);
  ASSERT_EQ(::chmod(folder().workspace().c_str(), 0), 0);
  EXPECT_EQ(test::as_ordinary_user(base, [&] { return life->taken().unreadable; }), 0);
}

// Whoever puts a file there is told what was so a little while ago.
TEST_F(Life, WhatItTakesOfAFullDiskIsCountedAnew) {
  behave("ok");
  hasty = std::make_unique<HastyClock>();
  hasty->step_ms = 100;
  life = accept();
  life->run();
  ASSERT_TRUE(life->open_to_write());
  const std::string path = folder().workspace() + "/a";
  struct stat info = {};
  do {  // until the clock of the file system has moved on from the launch
    ASSERT_TRUE(os::write_file_atomic(path, std::string(200'000, 'x')));
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
  } while (life->written() < 200'000);
  EXPECT_GE(life->taken().bytes, 200'000);
}

TEST_F(Life, CountingWhatItTakesOfAFullDiskHasItsTime) {
  behave("ok");
  hasty = std::make_unique<HastyClock>();
  hasty->step_ms = 0;
  life = accept();
  life->run();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(os::write_file_atomic(cat(folder().workspace(), "/", i), "x"));
  EXPECT_FALSE(life->taken().cut_off);
  hasty->step_ms = 4'000;
  EXPECT_TRUE(life->taken().cut_off) << "4 s for each name";
}

TEST_F(Life, FilesOfARunThatHasEndedGoBeforeItsOutcomeIsTakenWhereTheDiskNeedsThem) {
  behave("ok");
  life = accept();
  life->free_files();
  life->run();
  EXPECT_TRUE(os::exists(folder().workspace())) << "they were not its ended run's";
  life->free_files();
  EXPECT_FALSE(os::exists(folder().workspace()));
  EXPECT_FALSE(life->taken().unreadable) << "it has nothing more";
  life = recover();
  life->free_files();
  life->run();
  EXPECT_EQ(last_outcome().reason, "Completed") << "and it is told all the same";
  EXPECT_EQ(starts(), 1u);
  EXPECT_TRUE(life->erase().ok());
}

TEST(DiskFault, IsNamedAsTheNodesConditionsNameIt) {
  const test::TempDir folder;
  EXPECT_FALSE(disk_fault(folder.path()).has_value());
  EXPECT_FALSE(disk_fault(folder / "missing").has_value()) << "that is another matter";
  expect(test::in_child([&folder]() -> std::string {
           if (!test::mount_disk(folder.path(), "32k")) return test::kNoMounts;
           const auto full = disk_fault(folder.path());
           if (!test::change_disk(folder.path(), MS_RDONLY, "1m")) return "no remount";
           const auto read_only = disk_fault(folder.path());
           return cat(full ? full->reason : Reason(), " ",
                      read_only ? read_only->reason : Reason());
         }),
         "NODE_DISK_FULL NODE_DISK_READ_ONLY");
}

TEST(LaunchIntentsOnAFullDisk, KeepTheirRoomAndGrowOnceThereIsMore) {
  const test::TempDir folder;
  expect(test::in_child([&folder]() -> std::string {
           if (!test::mount_disk(folder.path(), "160k")) return test::kNoMounts;
           const auto intents = LaunchIntents::open(folder / "launches");
           if (!intents) return intents.error().describe();
           fill(folder / "filler");
           int kept = 0;
           Status noted;
           while (kept < 5000 && (noted = (*intents)->note(cat("run-", kept)))) ++kept;
           if (noted || contracts::name_full_disk(noted.error()).reason != contracts::kNodeDiskFull)
             return "it was never full";
           if (!test::change_disk(folder.path(), 0, "16m")) return "no remount";
           const Status again = (*intents)->note(cat("run-", kept));
           return again ? cat(kept, " and on") : again.error().describe();
         }),
         "1024 and on");
}

}  // namespace
}  // namespace paddock::executor
