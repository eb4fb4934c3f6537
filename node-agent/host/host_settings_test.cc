#include "node-agent/host/host_settings.h"

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

TEST(HostSettings, ALargerHostTakesMoreRunsUnlessItsOperatorSaysHowMany) {
  EXPECT_EQ(runs_at_once(0, 1), 4);
  EXPECT_EQ(runs_at_once(0, 64), 128);
  EXPECT_EQ(runs_at_once(3, 64), 3);
}

}  // namespace
}  // namespace paddock::agent
