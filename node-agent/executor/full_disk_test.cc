// Runs of a node whose disk is full: they end under that name, and others run once there is room.
#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/contracts/node.h"
#include "node-agent/executor/run_life_fixture.h"
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
