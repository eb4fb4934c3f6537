#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/wire/json.h"
#include "node-agent/snippets/answer.h"
#include "node-agent/snippets/launch_request.h"
#include "node-agent/snippets/pool_pace.h"
#include "node-agent/snippets/validator.h"

namespace paddock::snippets {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::ElementsAre;

contracts::ExecuteAnswer answer(SandboxStatus status, int64_t rc = 0) {
  SandboxResult result;
  result.status = status;
  result.rc = rc;
  result.out = "out";
  result.reason = "why";
  return answer_of(std::move(result));
}

// proves: ELV-12, ELV-15
TEST(SnippetAnswer, SucceedsOnlyWithExitCodeZero) {
  EXPECT_TRUE(answer(SandboxStatus::kOk).success);
  EXPECT_TRUE(answer(SandboxStatus::kOk).error.is_null());
  const auto failed = answer(SandboxStatus::kFailed, 3);
  EXPECT_FALSE(failed.success);
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.out, "out");
  EXPECT_EQ(answer(SandboxStatus::kTimeout, 124).exit_code, -1);
  EXPECT_EQ(answer(SandboxStatus::kTimeout, 124).error, wire::Value("Execution timed out"));
  for (const auto status : {SandboxStatus::kMemLimit, SandboxStatus::kCpuLimit,
                            SandboxStatus::kLimitExceeded, SandboxStatus::kInternalError}) {
    EXPECT_FALSE(answer(status, 137).success);
    EXPECT_EQ(answer(status, 137).exit_code, -1);
    EXPECT_NE(answer(status, 137).error.string(), nullptr);
  }
}

TEST(SnippetAnswer, IsReportedWithWhatIsWrittenDownOfItAndNoOutput) {
  SandboxResult result;
  result.status = SandboxStatus::kMemLimit;
  result.rc = 137;
  result.code = "E_LIMIT_MEMORY";
  result.out = "secret";
  result.err = "secret";
  result.denials = {{.what = "connect", .target = "192.0.2.1:80", .rule = "network"}};
  const auto report = report_of(result, true);
  EXPECT_TRUE(report.warm);
  EXPECT_EQ(report.answer.out, "secret");
  ASSERT_TRUE(report.result);
  EXPECT_EQ(report.result->status, SandboxStatus::kMemLimit);
  EXPECT_EQ(report.result->code, "E_LIMIT_MEMORY");
  ASSERT_EQ(report.result->denials.size(), 1u);
  EXPECT_EQ(wire::encode_json(*report.result).find("secret"), std::string::npos);
}

TEST(SnippetVerdict, IsTheHelpersAnswerOrAnError) {
  const auto verdict =
      read_verdict(R"({"errors": [["Blocked import: os", 2], ["Blocked import: os", 5]],
                       "imports": ["os", "json"]})");
  ASSERT_TRUE(verdict.ok());
  EXPECT_THAT(texts_of(verdict->findings), ElementsAre("Blocked import: os"));
  EXPECT_EQ(summary_of(verdict->findings),
            "Code validation failed: Blocked import: os (line 2); Blocked import: os (line 5)");
  EXPECT_THAT(verdict->imports, ElementsAre("os", "json"));
  for (const char* bad : {"", "{}", "[]", R"({"errors": [["x"]], "imports": []})",
                          R"({"errors": [["x", "y"]], "imports": []})",
                          R"({"errors": [], "imports": [1]})", R"({"errors": 1, "imports": []})"})
    EXPECT_FALSE(read_verdict(bad).ok()) << bad;
}

// proves partly: ELV-55, ELV-57
TEST(SnippetLaunch, WaitsOnlyForWhatTheProfileAllows) {
  const auto& limits = contracts::builtin_profiles().at("snippet").policy.limits;
  EXPECT_TRUE(fits_warm({30'000, 256}, limits));
  EXPECT_FALSE(fits_warm({30'001, 256}, limits));  // its CPU time
  EXPECT_FALSE(fits_warm({30'000, 255}, limits));
}

TEST(SnippetLaunch, ScalesTheFenceWithALongerTimeAndTheMemoryWithTheRequest) {
  const auto& profile = contracts::builtin_profiles().at("snippet").policy;
  const auto usual = policy_for({2'000, 256}, profile).limits;
  EXPECT_EQ(usual.wall_time->value, Millis(35'000));
  EXPECT_EQ(usual.cpu_time->value, Millis(30'000));
  const auto large = policy_for({60'000, 512}, profile).limits;
  EXPECT_EQ(large.wall_time->value, Millis(65'000));
  EXPECT_EQ(large.cpu_time->value, Millis(60'000));
  EXPECT_EQ(large.memory->bytes, 512 << 20);
  EXPECT_EQ(large.address_space->bytes, 512 << 20);
}

TEST(SnippetLaunch, HandsTheCodeOverAsBytesAndTheInputAsData) {
  contracts::SnippetOrder order;
  order.code = "print('''\n''')";
  EXPECT_EQ(worker_input(order), "14\nprint('''\n''')");
  order.input_data = wire::Value::Object{{"a", nullptr}};
  EXPECT_EQ(worker_input(order), "14\nprint('''\n'''){\"a\":null}");
  const Setting setting{{}, contracts::builtin_profiles().at("snippet"), {}, 1, ""};
  const auto request = worker_request(setting, {{"/a", "/b"}, {}, {}, {"program", "code"}},
                                      {"json"}, setting.profile.policy);
  EXPECT_EQ(request.command[0], "python3");
  EXPECT_EQ(request.command.back(), "json");
  const std::vector<std::string> last(request.command.end() - 5, request.command.end());
  EXPECT_EQ(last, (std::vector<std::string>{"-c", "program", "code", "/a:/b", "json"}));
  EXPECT_EQ(request.env, setting.profile.environment);
}

TEST(SnippetPool, GrowsWithMissesUpToItsCeilingAndShrinksWhenTheyAreSpare) {
  MonoTime now{};
  PoolPace pace(1, 4, now);
  EXPECT_EQ(pace.target(), 1);
  for (int i = 0; i < 5; ++i) pace.asked(-1, now);
  EXPECT_EQ(pace.target(), 4);
  now = now + Millis(61'000);
  pace.tick(now);
  EXPECT_EQ(pace.target(), 3);
  pace.asked(0, now);  // all of them were needed
  now = now + Millis(61'000);
  pace.tick(now);
  EXPECT_EQ(pace.target(), 3);
}

TEST(SnippetPool, WhatNobodyAsksForIsNotKept) {
  MonoTime now{};
  PoolPace pace(0, 4, now);
  EXPECT_EQ(pace.target(), 0);
  pace.asked(-1, now);
  EXPECT_EQ(pace.target(), 1);
  for (int i = 0; i < 5; ++i) pace.tick(now = now + Millis(61'000));
  EXPECT_EQ(pace.target(), 1);  // used lately
  for (int i = 0; i < 10; ++i) pace.tick(now = now + Millis(61'000));
  EXPECT_EQ(pace.target(), 0);
  PoolPace none(1, 0, now);
  none.asked(-1, now);
  EXPECT_EQ(none.target(), 0);
}

}  // namespace
}  // namespace paddock::snippets
