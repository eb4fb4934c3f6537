#include "node-agent/uplink/identity.h"

#include <stdlib.h>

#include <gtest/gtest.h>

#include "common/os/file.h"

namespace paddock::agent {
namespace {

TEST(Identity, EachProcessIsNewerThanTheLastThoughTheClockGoesBack) {
  std::string pattern = testing::TempDir() + "agent-XXXXXX";
  const std::string base = ::mkdtemp(pattern.data());
  EXPECT_EQ(take_generation(base, WallTime{5'000}).value(), 5'000);
  EXPECT_EQ(take_generation(base, WallTime{9'000}).value(), 9'000);
  EXPECT_EQ(take_generation(base, WallTime{9'000}).value(), 9'001);
  EXPECT_EQ(take_generation(base, WallTime{1'000}).value(), 9'002);
  EXPECT_FALSE(take_generation(base + "/missing", WallTime{1}).ok());
  (void)os::remove_tree(base);
}

TEST(Identity, WithoutATokenTheOperatorIsToldWhatToGive) {
  SeededRandom random(1);
  const auto enrolled = enroll(NodeIdentity{}, http::Endpoint{}, random);
  ASSERT_FALSE(enrolled.ok());
  EXPECT_EQ(enrolled.error().reason, "ENROLL_TOKEN_MISSING");
}

}  // namespace
}  // namespace paddock::agent
