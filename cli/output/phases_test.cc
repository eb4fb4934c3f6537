#include "cli/output/phases.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

class PhaseTest : public testing::Test {
 protected:
  // A stderr that would be redrawn.
  Env env() {
    const Stream out{[](std::string_view) {}};
    const Stream err{[this](std::string_view text) { text_ += text; }, true, true};
    return Env{{}, "/", "", false, false, out, err, clock_, random_};
  }
  std::vector<wire::Value> objects() const {
    std::vector<wire::Value> out;
    for (const std::string& line : split(text_, '\n')) {
      if (!line.empty()) out.push_back(wire::parse_json(line).value());
    }
    return out;
  }
  ManualClock clock_;
  SystemRandom random_;
  std::string text_;
};

TEST_F(PhaseTest, EndInOneLineWithOursAndTheNodesInTheirOrder) {
  const Env all = env();
  Phases phases(all, ProgressForm::kAuto);
  phases.begin("hash");
  clock_.advance(Millis(3));
  phases.begin("upload");
  clock_.advance(Millis(1200));
  phases.end();
  clock_.advance(Millis(100));
  phases.begin("download");
  clock_.advance(Millis(5));
  phases.finish({{"run", 40}, {"queue", 6}, {"workspace", 2}, {"later", 1}});
  EXPECT_EQ(text_,
            "times: hash 3ms, upload 1.2s, queue 6ms, workspace 2ms, run 40ms, "
            "download 5ms, later 1ms, total 1.3s\n");
}

TEST_F(PhaseTest, AreOneObjectPerLineForPrograms) {
  const Env before = env();
  const Env all = with_progress(before, ProgressForm::kJson);
  Phases phases(before, ProgressForm::kJson);
  phases.begin("upload");
  phases.progress(1, 9);
  all.say("two\nlines \x1b[31m");
  phases.event({1, 0, std::string(contracts::kEventPhase), R"({"phase":"Running"})"});
  phases.event({2, 0, std::string(contracts::kEventStdout), "{}"});
  phases.finish({{"run", 4}});
  const auto lines = objects();
  ASSERT_EQ(lines.size(), 6u) << text_;
  EXPECT_EQ(lines[0].text("phase"), "upload");
  EXPECT_EQ(*lines[1].find("total"), wire::Value(9));
  EXPECT_EQ(lines[2].text("text"), "two");
  EXPECT_EQ(lines[3].text("type"), "message");
  EXPECT_EQ(lines[4].text("phase"), "Running");
  EXPECT_EQ(*lines[5].at("ms.run"), wire::Value(4));
}

contracts::Run ended_run() {
  contracts::Run run;
  run.metadata.name = "job-1";
  run.metadata.name_space = "team";
  run.metadata.uid = "uid-1";
  run.spec.workspace = "files";
  run.status.phase = contracts::RunPhase::kFailed;
  run.status.reason = "NonZeroExit";
  run.status.attempt = 2;
  run.status.result.emplace().rc = 7;
  run.status.artifacts.resize(2);
  return run;
}

TEST_F(PhaseTest, ProgramsHearTheRunsNameWhatCameBackAndTheResult) {
  const Env before = env();
  const contracts::Run run = ended_run();
  for (const ProgressForm form : {ProgressForm::kAuto, ProgressForm::kPlain}) {
    const Phases people(before, form);
    people.created(run);
    people.artifact({"a", 1, {}, false}, "/here/a");
    people.result(run, 7);
    EXPECT_EQ(text_, "") << "people have lines of their own";
  }
  const Phases phases(before, ProgressForm::kJson);
  phases.created(run);
  phases.artifact({"out/\xff.txt", 3, {}, false}, "/here/out/\xff.txt");
  phases.result(run, 7);
  const auto lines = objects();
  ASSERT_EQ(lines.size(), 3u) << text_;
  EXPECT_EQ(
      wire::to_json(lines[0]),
      R"({"type":"run","name":"job-1","namespace":"team","uid":"uid-1","workspace":"files"})");
  EXPECT_EQ(lines[1].text("type"), "artifact");
  EXPECT_EQ(*lines[1].find("size"), wire::Value(3));
  EXPECT_EQ(lines[2].text("type"), "result");
  EXPECT_EQ(lines[2].text("name"), "job-1");
  EXPECT_EQ(lines[2].text("phase"), "Failed");
  EXPECT_EQ(lines[2].text("reason"), "NonZeroExit");
  EXPECT_EQ(*lines[2].find("rc"), wire::Value(7));
  EXPECT_EQ(*lines[2].find("artifacts"), wire::Value(2));
  EXPECT_EQ(*lines[2].find("exitCode"), wire::Value(7));
}

TEST_F(PhaseTest, ArePlainOnRequest) {
  EXPECT_FALSE(with_progress(env(), ProgressForm::kPlain).err.tty);
  EXPECT_TRUE(with_progress(env(), ProgressForm::kAuto).err.tty);
  EXPECT_EQ(parse_progress_form("json").value(), ProgressForm::kJson);
  EXPECT_EQ(parse_progress_form("").value(), ProgressForm::kAuto);
  EXPECT_EQ(parse_progress_form("xml").error().causes.at(0).field, "--progress");
}

}  // namespace
}  // namespace paddock::cli
