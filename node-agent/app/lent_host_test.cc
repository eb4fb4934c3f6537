#include "node-agent/app/lent_host.h"

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

constexpr WallTime kWall{1'750'000'000'000};
constexpr MonoTime kMono{5'000};
constexpr auto kMinute = std::chrono::minutes(1);

TEST(LentHost, AnAgentStaysUnlessItsOperatorSaysOtherwise) {
  LentHost host(AgentConfig{}, kMono);
  EXPECT_FALSE(host.reason_to_leave(false, kWall + 1000 * kMinute, kMono + 1000 * kMinute));
}

TEST(LentHost, AHostsEndIsTheAgentsEndWhateverRuns) {
  AgentConfig config;
  config.ends_at = wire::Timestamp{kWall + kMinute};
  LentHost host(config, kMono);
  EXPECT_FALSE(host.reason_to_leave(true, kWall, kMono));
  EXPECT_TRUE(host.reason_to_leave(true, kWall + kMinute, kMono));
}

TEST(LentHost, IdleIsCountedFromTheLastThatRan) {
  AgentConfig config;
  config.idle_exit = wire::Duration{2 * kMinute};
  LentHost host(config, kMono);
  EXPECT_FALSE(host.reason_to_leave(false, kWall, kMono + kMinute));
  EXPECT_FALSE(host.reason_to_leave(true, kWall, kMono + 5 * kMinute));
  EXPECT_FALSE(host.reason_to_leave(false, kWall, kMono + 6 * kMinute));
  EXPECT_TRUE(host.reason_to_leave(false, kWall, kMono + 7 * kMinute));
}

TEST(LentHost, AHostThatGoesAwayTakesNothingWithoutAnEnd) {
  AgentConfig config;
  take_only_what_ends(config);
  EXPECT_GT(config.sessions.max_sessions, 0);
  config.ends_at = wire::Timestamp{kWall};
  take_only_what_ends(config);
  EXPECT_EQ(config.sessions.max_sessions, 0);
  EXPECT_FALSE(config.snippets.enabled);
}

}  // namespace
}  // namespace paddock::agent
