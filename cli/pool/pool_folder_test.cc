#include "cli/pool/pool_folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "cli/pool/bounded_program.h"
#include "cli/pool/pilot_script.h"
#include "cli/pool/pool_text.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

class PoolFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/pool-folder-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  void TearDown() override { ASSERT_TRUE(os::remove_tree(path_).ok()); }
  std::string path_;
};

TEST_F(PoolFolderTest, IsForOneProgramAndOneUser) {
  auto first = PoolFolder::open(path_);
  ASSERT_TRUE(first.ok()) << first.error().describe();
  EXPECT_EQ(PoolFolder::open(path_).error().reason, "LOCK_HELD");
  ASSERT_EQ(::chmod(path_.c_str(), 0750), 0);
  EXPECT_EQ(PoolFolder::open(path_).error().reason, "CONFIG_INVALID");
}

TEST_F(PoolFolderTest, KeepsIntentsForWhoComesNext) {
  const Intent intent{{4, 2048, 1}, WallTime{5}};
  {
    auto folder = PoolFolder::open(path_);
    ASSERT_TRUE(folder.ok());
    ASSERT_TRUE(folder->put_intent("k7f3a9c2", intent).ok());
  }
  auto folder = PoolFolder::open(path_);
  ASSERT_TRUE(folder.ok());
  const auto intents = folder->intents();
  ASSERT_TRUE(intents.ok());
  ASSERT_EQ(intents->size(), 1U);
  EXPECT_EQ(intents->at("k7f3a9c2").size, intent.size);
  EXPECT_EQ(intents->at("k7f3a9c2").at, intent.at);
  ASSERT_TRUE(folder->drop_intent("k7f3a9c2").ok());
  EXPECT_TRUE(folder->drop_intent("k7f3a9c2").ok()) << "one that is gone";
  EXPECT_TRUE(folder->intents()->empty());
}

TEST_F(PoolFolderTest, ATokenIsThisUsersAloneAndGoesWithItsJob) {
  auto folder = PoolFolder::open(path_);
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(folder->put_token("12", "pdke_secret").ok());
  struct stat info = {};
  ASSERT_EQ(::stat(token_file(path_, "12").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_TRUE(folder->was_given("12"));
  ASSERT_EQ(::unlink(token_file(path_, "12").c_str()), 0);  // its pilot took it
  EXPECT_TRUE(folder->was_given("12"));
  ASSERT_TRUE(folder->drop_tokens_but({"12"}).ok());
  EXPECT_TRUE(folder->was_given("12"));
  ASSERT_TRUE(folder->put_token("13", "pdke_other").ok());
  ASSERT_TRUE(folder->drop_tokens_but({}).ok());
  EXPECT_FALSE(folder->was_given("12"));
  EXPECT_FALSE(os::exists(token_file(path_, "13")));
}

TEST_F(PoolFolderTest, KnowsWhichPilotsHaveJoinedUntilTheirJobsAreGone) {
  {
    auto folder = PoolFolder::open(path_);
    ASSERT_TRUE(folder.ok());
    for (const char* pilot : {"12-r0", "12-r1"})
      ASSERT_TRUE(folder->put_token(pilot, "pdke_secret").ok());
    EXPECT_TRUE(folder->joined()->empty());
    ASSERT_TRUE(folder->put_joined("12-r1").ok());
  }
  auto folder = PoolFolder::open(path_);
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(folder->joined().value(), std::set<std::string>{"12-r1"}) << "for who comes next";
  EXPECT_TRUE(folder->was_given("12-r1"));
  ASSERT_TRUE(folder->drop_tokens_but({"12-r0"}).ok());
  EXPECT_TRUE(folder->joined()->empty());
}

TEST_F(PoolFolderTest, TheNewestLogsStay) {
  auto folder = PoolFolder::open(path_);
  ASSERT_TRUE(folder.ok());
  for (const char* job : {"9", "10", "100", "11"})
    ASSERT_TRUE(os::write_file_atomic(cat(logs_folder(path_), "/", job, ".log"), "").ok());
  ASSERT_TRUE(folder->prune_logs(2).ok());
  EXPECT_EQ(os::list_dir(logs_folder(path_)).value(),
            (std::vector<std::string>{"100.log", "11.log"}));
}

TEST(Intent, IsReadBackOrRefused) {
  const Intent intent{{4, 2048, 1, 3}, WallTime{1'764'270'000'000}};
  ASSERT_TRUE(parse_intent(intent_text(intent)));
  EXPECT_EQ(parse_intent(intent_text(intent))->size, intent.size);
  ASSERT_TRUE(parse_intent("5 4 2048 1\n")) << "of a release that knew no gangs";
  EXPECT_EQ(parse_intent("5 4 2048 1\n")->size, (PilotSize{4, 2048, 1, 1}));
  for (const char* text : {"", "1 2 3", "1 2 3 4 5 6", "a 1 1 1", "1 -2 3 4", "1  2 3 4"})
    EXPECT_FALSE(parse_intent(text)) << text;
}

Result<ProgramEnd> shell(const std::string& script, Millis deadline = Millis(60'000),
                         size_t most = 1000) {
  BoundedProgram program;
  program.argv = {"/bin/sh", "-c", script};
  program.env = {{"PATH", "/usr/bin:/bin"}, {"GIVEN", "yes"}};
  program.input = "from outside";
  program.deadline = deadline;
  program.most_output = most;
  const SystemClock clock;
  return run_bounded(program, clock);
}

TEST(BoundedProgram, TellsWhatWasSaidAndHowItEnded) {
  const auto end = shell("cat; echo \" $GIVEN $HOME\"; echo no >&2; exit 3");
  ASSERT_TRUE(end.ok()) << end.error().describe();
  EXPECT_EQ(end->status, 3);
  EXPECT_EQ(end->out, "from outside yes \n");
  EXPECT_EQ(end->err, "no\n");
  EXPECT_EQ(shell("kill -9 $$")->status, 128 + 9);
}

TEST(BoundedProgram, ADeadlineEndsItWithWhatItStarted) {
  const auto end = shell("sleep 1000 & wait", Millis(50));
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().reason, "PROGRAM_FAILED");
}

TEST(BoundedProgram, TooMuchOutputEndsIt) {
  EXPECT_EQ(shell("yes").error().reason, "PROGRAM_FAILED");
  EXPECT_EQ(shell("yes >&2").error().reason, "PROGRAM_FAILED");
  EXPECT_TRUE(shell("head -c 1000 /dev/zero").ok());
  EXPECT_FALSE(shell("head -c 1001 /dev/zero").ok());
}

TEST(PoolText, ShowsWordsOfOthersAsPlainText) {
  const wire::Value state = wire::Value::Object{
      {"pool", "hpc"},
      {"at", "2026-01-02T03:04:05Z"},
      {"pilots", wire::Value::Array{wire::Value::Object{
                     {"job", "12"}, {"state", "queued"}, {"reason", "\x1b[2J"}, {"cpus", 4}}}},
      {"waiting", wire::Value::Object{{"default/a", "because \x1b[2J"}}},
      {"refused", "sbatch: no\x1b"}};
  const std::string text = pool_text(state);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("default/a"), std::string::npos);
  EXPECT_NE(text.find("sbatch: no"), std::string::npos);
  EXPECT_NE(pool_text(wire::Value()).find("no pilots"), std::string::npos);
}

}  // namespace
}  // namespace paddock::cli
