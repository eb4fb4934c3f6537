#include "node-agent/uplink/credentials.h"

#include <gtest/gtest.h>

#include "common/client/node_identity.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

TEST(Credentials, WhoeverCallsHasTheNewestOne) {
  const test::TempDir folder;
  Credentials credentials({.base_url = "https://c:1"}, folder.path());
  EXPECT_FALSE(credentials.reload());
  EXPECT_FALSE(credentials.stored_at());
  ASSERT_TRUE(client::store_credential(folder.path(), "first").ok());
  EXPECT_TRUE(credentials.reload());
  EXPECT_FALSE(credentials.reload()) << "it is no other one";
  const http::Endpoint made_before = credentials.endpoint();
  EXPECT_EQ(made_before.live_token(), "first");
  ASSERT_TRUE(client::store_credential(folder.path(), "second").ok());
  EXPECT_TRUE(credentials.reload());
  EXPECT_EQ(made_before.live_token(), "second");
  ASSERT_TRUE(client::forget_identity(folder.path()).ok());
  EXPECT_FALSE(credentials.reload());
  EXPECT_EQ(made_before.live_token(), "second") << "a file that is gone says nothing";
}

TEST(RotationDue, WhenItIsOldOrFromTheFuture) {
  const Millis period{1000};
  const WallTime stored{10'000'000};
  EXPECT_FALSE(rotation_due(std::nullopt, period, stored));
  EXPECT_FALSE(rotation_due(stored, period, stored));
  EXPECT_FALSE(rotation_due(stored, period, stored + Millis(999)));
  EXPECT_TRUE(rotation_due(stored, period, stored + Millis(1000)));
  EXPECT_FALSE(rotation_due(stored, period, WallTime{stored.ms - 60'000}));
  EXPECT_TRUE(rotation_due(stored, period, WallTime{stored.ms - 60'001}));
}

}  // namespace
}  // namespace paddock::agent
