#include "node-agent/snippets/validator.h"

#include <gmock/gmock.h>

#include "node-agent/snippets/sandbox_fixture.h"

namespace paddock::snippets {
namespace {

using contracts::SandboxStatus;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kNothing = R"({"errors": [], "imports": []})";
std::string answer(std::string_view json) { return cat(json.size(), "\n", json); }

class Helpers : public Sandboxes {
 protected:
  using Life = std::function<void(Inside&)>;
  // What becomes of each that is launched, in turn.
  Validator validator(std::vector<Life> lives, Millis check_time = Validator::kCheckTime) {
    return Validator(
        [this, lives = std::move(lives)]() -> Result<std::unique_ptr<WarmSandbox>> {
          auto made = launch();
          lives.at(inside_.size() - 1)(inside_.back());
          return made;
        },
        clock_, check_time);
  }
  static void says_nothing(Inside& helper) { helper.say(cat(".", answer(kNothing))); }
  static void waits(Inside& helper) { helper.say("."); }
  static void dies(Inside& helper) {
    helper.say(".");
    helper.tell_result(SandboxStatus::kMemLimit);
    helper.die();
  }
};

TEST_F(Helpers, ServeOneSourceAfterTheOther) {
  Validator one = validator({says_nothing});
  EXPECT_THAT(one.check("1")->findings, IsEmpty());
  inside_.at(0).say(answer(R"({"errors": [["Blocked import: os", 2]], "imports": ["os"]})"));
  EXPECT_THAT(texts_of(one.check("\nimport os")->findings), ElementsAre("Blocked import: os"));
  EXPECT_EQ(inside_.size(), 1u);
}

TEST_F(Helpers, CodeThatEndsOneIsRefusedAndAnotherHelperTakesOver) {
  Validator one = validator({dies, says_nothing});
  const auto verdict = one.check("1");
  ASSERT_TRUE(verdict.ok()) << verdict.error().describe();
  EXPECT_THAT(texts_of(verdict->findings),
              ElementsAre("Code cannot be checked: the checker ends over it"));
  EXPECT_EQ(inside_.size(), 1u) << "a new helper is not spent on it";
  EXPECT_THAT(one.check("1")->findings, IsEmpty());
  EXPECT_EQ(inside_.size(), 2u);
}

TEST_F(Helpers, WhatHasServedOthersMayDieOfThemSoThatTheCodeIsAskedOnceMore) {
  for (const auto& [second, wanted] :
       {std::pair<Life, size_t>{says_nothing, 0}, std::pair<Life, size_t>{dies, 1}}) {
    inside_.clear();
    Validator one = validator({says_nothing, second});
    ASSERT_TRUE(one.check("1").ok());
    inside_.at(0).tell_result(SandboxStatus::kMemLimit);
    inside_.at(0).die();
    const auto verdict = one.check("2");
    ASSERT_TRUE(verdict.ok()) << verdict.error().describe();
    EXPECT_EQ(verdict->findings.size(), wanted);
    EXPECT_EQ(inside_.size(), 2u);
  }
}

TEST_F(Helpers, CodeThatTakesTooLongIsRefusedAndItsHelperEnds) {
  EXPECT_EQ(Validator::kCheckTime, Millis(5'000));
  Validator one = validator({waits, says_nothing}, Millis(1));
  const auto verdict = one.check("1");
  ASSERT_TRUE(verdict.ok()) << verdict.error().describe();
  EXPECT_THAT(texts_of(verdict->findings),
              ElementsAre("Code cannot be checked: it takes the checker too long"));
  EXPECT_TRUE(inside_.at(0).is_ended());
  EXPECT_THAT(one.check("1")->findings, IsEmpty());
  EXPECT_EQ(inside_.size(), 2u);
}

TEST_F(Helpers, WithoutOneNothingIsKnownOfTheCodeAndItMayBeSentAgain) {
  const auto lost = [](Inside& helper) {
    helper.say(".");
    helper.lose_launcher();
  };
  const auto never_ready = [](Inside& helper) { helper.die(); };
  const auto canceled = [](Inside& helper) {
    helper.say(".");
    helper.tell_result(SandboxStatus::kCanceled);
    helper.die();
  };
  for (const Life& life : {Life(lost), Life(never_ready), Life(canceled)}) {
    inside_.clear();
    const auto verdict = validator({life}).check("1");
    ASSERT_FALSE(verdict.ok());
    EXPECT_EQ(verdict.error().reason, "VALIDATOR_FAILED");
    EXPECT_EQ(verdict.error().code, Code::kUnavailable);
  }
  Validator none(
      []() -> Result<std::unique_ptr<WarmSandbox>> {
        return Error{Code::kUnavailable, "NOT_LISTENING", ""};
      },
      clock_);
  EXPECT_EQ(none.check("1").error().reason, "NOT_LISTENING");
}

TEST_F(Helpers, OneThatEndedWhileItWaitedIsNotAsked) {
  Validator one = validator({waits, says_nothing});
  ASSERT_TRUE(one.prepare().ok());
  inside_.at(0).lose_launcher();
  EXPECT_THAT(one.check("1")->findings, IsEmpty());
  EXPECT_EQ(inside_.size(), 2u);
}

TEST_F(Helpers, AnAnswerThatMakesNoSenseIsAnError) {
  Validator one =
      validator({[](Inside& helper) { helper.say(cat(".", answer("{}"))); }, says_nothing});
  EXPECT_EQ(one.check("1").error().reason, "VALIDATOR_ANSWER");
  EXPECT_TRUE(inside_.at(0).is_ended());
  EXPECT_TRUE(one.check("1").ok());
}

}  // namespace
}  // namespace paddock::snippets
