// An attached run: it waits for its input, belongs to its client, and its time counts from the
// word.
#include "common/os/packet_socket.h"
#include "tests/adversarial/attached_run_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

INSTANTIATE_TEST_SUITE_P(, AttachedRun, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(AttachedRun, WaitsBeyondItsWallTimeAndHasAllOfItAfterwards) {
  for (const Millis time : kBriefTimes) {
    auto launch = request({"sh", "-c", "read line; echo got $line"});
    launch.policy.limits.wall_time = wire::Duration{time};
    auto fed = feed(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_NO_FATAL_FAILURE(wait_until_another_has_used_up(time));
    ASSERT_TRUE(launch::begin_attached(fed->run, time).ok());
    say(*fed, "it\n");
    const auto result = result_of(*fed);
    // Whoever waits for a processor as long as that has more time.
    if (result.status == SandboxStatus::kTimeout && time != kBriefTimes.back()) continue;
    EXPECT_EQ(result.status, SandboxStatus::kOk) << result.reason;
    EXPECT_EQ(result.out, "got it\n");
    EXPECT_LT(result.duration_ms, time.count());  // without what it waited
    break;
  }
}

// proves: ELV-55, ELV-128
TEST_P(AttachedRun, IsEndedWhenTheTimeOfItsRequestIsUpAndThePolicysIsTheMost) {
  for (const auto& [policy_ms, asked_ms] : {std::pair{60'000, 300}, std::pair{300, 60'000}}) {
    auto launch = request({"sh", "-c", "read line; sleep 1000"});
    launch.policy.limits.wall_time = wire::Duration{Millis(policy_ms)};
    auto fed = feed(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(launch::begin_attached(fed->run, Millis(asked_ms)).ok());
    say(*fed, "it\n");
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kTimeout);
  }
}

// proves: ELV-57
TEST_P(AttachedRun, IsEndedByItsProcessorTimeHoweverItSleepsBetween) {
  auto launch = request({"python3", "-c",
                         "import time\n"
                         "input()\n"
                         "while True:\n"
                         "  for _ in range(100000): pass\n"
                         "  time.sleep(0.001)\n"});
  launch.policy.limits.cpu_time = wire::Duration{Millis(1'000)};
  launch.policy.limits.wall_time = wire::Duration{Millis(600'000)};
  auto fed = feed(launch);
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(launch::begin_attached(fed->run, Millis(600'000)).ok());
  say(*fed, "it\n");
  const auto result = result_of(*fed);
  EXPECT_EQ(result.status, SandboxStatus::kCpuLimit) << result.reason << result.err;
}

TEST_P(AttachedRun, EndsWithItsClientBeforeAndAfterTheWord) {
  for (const bool begun : {false, true}) {
    auto launch = request({"sh", "-c", "trap '' TERM; sleep 1000"});
    launch.cancel_grace_ms = 0;
    auto fed = feed(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    if (begun) {
      ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
    }
    fed->run.connection.reset();
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
  }
}

TEST_P(AttachedRun, TakesTheWordOnceAndNoOther) {
  for (const char* word : {"begin", "begin x", "begin -1", "stop"}) {
    auto fed = feed(request({"sleep", "1000"}));
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(os::send_packet(fed->run.connection.get(), word).ok());
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled) << word;
  }
  auto fed = feed(request({"sleep", "1000"}));
  ASSERT_TRUE(fed.ok());
  ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
  ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
  EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
}

TEST_P(AttachedRun, HasNothingOpenButItsThreeStreams) {
  auto fed = feed(request(probe("descriptors", {"fed"})));
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
  say(*fed, "");
  const auto result = result_of(*fed);
  EXPECT_THAT(result.out, testing::HasSubstr("CONTAINED")) << result.reason;
  EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("BREACH")));
}

}  // namespace
}  // namespace paddock::adversarial
