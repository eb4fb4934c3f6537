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

TEST_F(PhaseTest, ArePlainOnRequest) {
  EXPECT_FALSE(with_progress(env(), ProgressForm::kPlain).err.tty);
  EXPECT_TRUE(with_progress(env(), ProgressForm::kAuto).err.tty);
  EXPECT_EQ(parse_progress_form("json").value(), ProgressForm::kJson);
  EXPECT_EQ(parse_progress_form("").value(), ProgressForm::kAuto);
  EXPECT_EQ(parse_progress_form("xml").error().causes.at(0).field, "--progress");
}

}  // namespace
}  // namespace paddock::cli
