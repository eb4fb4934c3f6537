// One object as text: what a node says of why it gets nothing.
#include "cli/output/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/run_report.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr WallTime kNow{3'600'000};

contracts::Node resting(std::optional<wire::Timestamp> until) {
  contracts::Node node;
  node.metadata.name = "n1";
  node.status.cool_down = contracts::CoolDown{until, wire::Timestamp{kNow + Millis(-5'000)}, 3,
                                              "NODE_DISK_FULL", "its disk is full"};
  return node;
}

TEST(DescribeRun, SaysThatOutputIsCutWhereTheLogLacksSomeOfIt) {
  contracts::Run run;
  contracts::SandboxResult& result = run.status.result.emplace();
  result.policy.emplace().limits.stdout_bytes = wire::Quantity{100'000};
  result.truncated.out = true;  // of the part that the result repeats
  result.usage.stdout_bytes = 100'000;
  EXPECT_THAT(describe_run(run, kNow), Not(HasSubstr("Cut output")));
  result.usage.stdout_bytes = 100'001;
  EXPECT_THAT(describe_run(run, kNow), HasSubstr("Cut output"));
  result.usage.stdout_bytes = 100'000;
  result.code = contracts::kNodeDiskFull;
  EXPECT_THAT(describe_run(run, kNow), HasSubstr("Cut output"));
}

TEST(DescribeNode, TellsUntilWhenItRestsHowOftenItFailedAndWhy) {
  const std::string text = describe_node(resting(wire::Timestamp{kNow + Millis(60'000)}), kNow);
  EXPECT_THAT(text, HasSubstr("gets no runs until 1970-01-01"));
  EXPECT_THAT(text, HasSubstr("3 in a row could not begin"));
  EXPECT_THAT(text, HasSubstr("NODE_DISK_FULL: its disk is full"));
  EXPECT_THAT(describe_node(resting({}), kNow), HasSubstr("is tried again: 3 in a row"));
  EXPECT_THAT(describe_node({}, kNow), Not(HasSubstr("Cool-down")));
}

TEST(DescribeRun, ShowsEachLineOfAMessageOnALineOfItsOwn) {
  contracts::Run run;
  run.metadata.name = "r1";
  run.status.phase = contracts::RunPhase::kFailed;
  run.status.reason = "REQUIREMENTS_INVALID";
  run.status.message =
      "2 of the requirements cannot be installed:\nr.txt line 1: x\nr.txt line 2: y";
  run.status.conditions = {{"Failed", "True", "REQUIREMENTS_INVALID", run.status.message, {}}};
  const std::string text = describe_run(run, kNow);
  EXPECT_THAT(text, testing::ContainsRegex("Message: +2 of the requirements cannot be installed:\n"
                                           " +r.txt line 1: x\n +r.txt line 2: y\n"));
  EXPECT_THAT(text, HasSubstr("2 of the requirements cannot be installed: …\n"));
  EXPECT_EQ(run_line(run),
            "run r1 Failed [REQUIREMENTS_INVALID]: 2 of the requirements cannot be installed:\n"
            "  r.txt line 1: x\n  r.txt line 2: y");
}

}  // namespace
}  // namespace paddock::cli
