#include "controller/k8s/exec_channels.h"

#include <string>

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::k8s {
namespace {

constexpr ExecWants kInput{.input = true, .terminal = false};
constexpr ExecWants kTerminal{.input = false, .terminal = true};

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

TEST(ExecChannels, InputAndItsEnd) {
  const std::string message = bytes({0, 'h', 0, 255});
  const auto input = exec_input(message, kInput);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->data, message.substr(1));
  EXPECT_FALSE(input->end);
  EXPECT_TRUE(exec_input(bytes({255, 0}), kInput)->end);
  EXPECT_FALSE(exec_input(bytes({255, 4}), kInput)->end);
  EXPECT_FALSE(exec_input(bytes({255, 0}), kTerminal)->end);
}

TEST(ExecChannels, SizesOfATerminal) {
  const auto told = [](const std::string& json) {
    return exec_input(bytes({4}) + json, kTerminal);
  };
  ASSERT_TRUE(told("{\"Width\":77,\"Height\":33}\n"));
  EXPECT_EQ(told("{\"Width\":77,\"Height\":33}\n")->size->rows, 33);
  EXPECT_EQ(told("{\"Width\":77,\"Height\":33}\n")->size->columns, 77);
  EXPECT_EQ(told("{\"Width\":70000,\"Height\":33}")->size->columns, 4096);
  for (const char* none : {"{\"Width\":0,\"Height\":33}", "{}", "{\"Width\":-1,\"Height\":\"x\"}"})
    EXPECT_TRUE(told(none) && !told(none)->size) << none;
  for (const std::string& bad :
       {std::string("x"), std::string("[1]"), std::string(),
        std::string("{\"Width\":1,\"Height\":1,\"x\":\"") + std::string(300, 'x') + "\"}"})
    EXPECT_FALSE(told(bad)) << bad;
}

TEST(ExecChannels, WhatNobodyMaySend) {
  EXPECT_FALSE(exec_input("", kInput));
  for (const int channel : {1, 2, 3, 5, 254})
    EXPECT_FALSE(exec_input(bytes({channel, 'x'}), kInput));
  EXPECT_FALSE(exec_input(bytes({0, 'x'}), kTerminal));
  EXPECT_FALSE(exec_input(bytes({4}) + "{}", kInput));
  EXPECT_FALSE(exec_input(bytes({255}), kInput));
  EXPECT_FALSE(exec_input(bytes({255, 0, 0}), kInput));
}

TEST(ExecChannels, TheStatusOfACommandThatEnded) {
  contracts::RunResult result;
  EXPECT_EQ(wire::to_json(exec_status(result)), R"({"metadata":{},"status":"Success"})");
  result.exit_code = 3;
  EXPECT_EQ(
      wire::to_json(exec_status(result)),
      R"({"metadata":{},"status":"Failure","reason":"NonZeroExitCode","message":"command terminated with exit code 3","details":{"causes":[{"reason":"ExitCode","message":"3"}]}})");
  result.exit_code = 700;
  EXPECT_EQ(exec_status(result).text("message"), "command terminated with exit code 1");
  result.exit_code = 0;
  result.error_class = "CANCELLED";
  result.reason = "the run ended";
  EXPECT_EQ(exec_status(result).text("reason"), "CANCELLED");
}

}  // namespace
}  // namespace paddock::k8s
