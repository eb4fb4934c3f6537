#include "node-agent/app/departure.h"

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

constexpr WallTime kWall{1'750'000'000'000};
constexpr MonoTime kMono{5'000};
constexpr auto kMinute = std::chrono::minutes(1);

TEST(Departure, AnAgentStaysUnlessItsOperatorSaysOtherwise) {
  Departure departure(AgentConfig{}, kMono);
  EXPECT_FALSE(departure.reason(false, kWall + 1000 * kMinute, kMono + 1000 * kMinute));
}

TEST(Departure, AHostsEndIsTheAgentsEndWhateverRuns) {
  AgentConfig config;
  config.ends_at = wire::Timestamp{kWall + kMinute};
  Departure departure(config, kMono);
  EXPECT_FALSE(departure.reason(true, kWall, kMono));
  EXPECT_TRUE(departure.reason(true, kWall + kMinute, kMono));
}

TEST(Departure, IdleIsCountedFromTheLastThatRan) {
  AgentConfig config;
  config.idle_exit = wire::Duration{2 * kMinute};
  Departure departure(config, kMono);
  EXPECT_FALSE(departure.reason(false, kWall, kMono + kMinute));
  EXPECT_FALSE(departure.reason(true, kWall, kMono + 5 * kMinute));
  EXPECT_FALSE(departure.reason(false, kWall, kMono + 6 * kMinute));
  EXPECT_TRUE(departure.reason(false, kWall, kMono + 7 * kMinute));
}

TEST(Departure, AHostThatGoesAwayTakesNothingWithoutAnEnd) {
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
