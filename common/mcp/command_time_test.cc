#include "common/mcp/command_time.h"

#include <future>

#include <gtest/gtest.h>

#include "common/mcp/fake_api_test_support.h"

namespace paddock::mcp {
namespace {

using wire::Value;

class McpCommandTime : public testing::Test {
 protected:
  McpCommandTime() {
    api_.answer = [this](const Api::Ask&) {
      enough_.get_future().wait();
      return result_;
    };
  }
  // The answers to its cancels, one after another; the command ends with the last of them.
  void cancels(std::vector<Result<Value>> answers) {
    api_.answer_beside = [this, answers](const Api::Ask& ask) {
      asked_.push_back(cat(ask.method, " ", ask.target));
      if (asked_.size() > answers.size()) return Result<Value>(unknown());  // it has ended
      const Result<Value> answer = answers[asked_.size() - 1];
      if (asked_.size() == answers.size()) enough_.set_value();
      return answer;
    };
  }
  Result<Value> run() {
    return run_within(api_, {"POST", "/s/commands", json(R"({"commandId":"c"})")}, Millis(1));
  }

  static Error unknown() { return {Code::kNotFound, "COMMAND_NOT_FOUND", "there is none"}; }

  FakeApi api_;
  std::promise<void> enough_;
  std::vector<std::string> asked_;
  Result<Value> result_ = json(R"({"exitCode":143,"stdout":"so far","errorClass":"CANCELLED"})");
};

TEST_F(McpCommandTime, ACommandIsCanceledUntilSomebodyKnowsItAndItsTimeIsNamed) {
  cancels({unknown(), unknown(), Value()});
  const auto done = run();
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(asked_, std::vector<std::string>(3, "POST /s/commands/c/cancel"));
  EXPECT_EQ(done->text("errorClass"), "TIMEOUT");
  EXPECT_EQ(done->text("code"), "COMMAND_TIMEOUT");
  EXPECT_EQ(done->text("stdout"), "so far");
  EXPECT_EQ(done->text("reason"),
            "the command took longer than the 1ms that its caller gave it, and was ended");
}

TEST_F(McpCommandTime, ACommandThatHadEndedByItselfHasItsResult) {
  result_ = json(R"({"exitCode":3,"stdout":"all"})");
  cancels({unknown()});
  EXPECT_EQ(wire::to_json(*run()), R"({"exitCode":3,"stdout":"all"})");
}

TEST_F(McpCommandTime, ACommandThatSomebodyElseCanceledIsNotCalledLate) {
  cancels({unknown()});
  EXPECT_EQ(run()->text("errorClass"), "CANCELLED");
}

TEST_F(McpCommandTime, ACancelThatCanNeverSucceedIsNotRepeated) {
  api_.answer_beside = [this](const Api::Ask& ask) {
    asked_.push_back(ask.target);
    if (asked_.size() > 1) return Result<Value>(Value());
    enough_.set_value_at_thread_exit();
    return Result<Value>(Error{Code::kPermissionDenied, "SCOPE_MISSING", "no"});
  };
  EXPECT_EQ(run()->text("errorClass"), "CANCELLED");
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(McpCommandTime, ACommandThatEndedByItselfDoesNotWaitForTheAnswerToItsCancel) {
  result_ = json(R"({"exitCode":3,"stdout":"all"})");
  std::promise<void> given_up;
  api_.on_give_up = [&] { given_up.set_value(); };
  bool hung_up = false;
  api_.answer_beside = [&](const Api::Ask&) {
    enough_.set_value();
    hung_up = given_up.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    return Result<Value>(Error{Code::kUnavailable, "CONNECTION_LOST", "given up"});
  };
  EXPECT_EQ(wire::to_json(*run()), R"({"exitCode":3,"stdout":"all"})");
  EXPECT_TRUE(hung_up);
}

TEST_F(McpCommandTime, WhatIsRefusedStaysRefused) {
  result_ = Error{Code::kGone, "SESSION_ENDED", "it ended"};
  cancels({Value()});
  EXPECT_EQ(run().error().reason, "SESSION_ENDED");
}

TEST_F(McpCommandTime, ACommandInTimeIsNotCanceled) {
  enough_.set_value();
  EXPECT_EQ(run_within(api_, {"POST", "/s/commands", json("{}")}, std::chrono::hours(1))
                ->text("errorClass"),
            "CANCELLED");
  EXPECT_TRUE(asked_.empty());
}

}  // namespace
}  // namespace paddock::mcp
