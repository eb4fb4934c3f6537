#include "cli/client/other_kind.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(OtherKind, HasAWayOfItsOwnForWhatWasTyped) {
  EXPECT_EQ(way_for(Kind::kSandbox, "exec", "work"), "paddock sandbox exec work -- CMD…");
  EXPECT_EQ(way_for(Kind::kRun, "sandbox exec", "train"), "paddock exec train -- CMD…");
  EXPECT_EQ(way_for(Kind::kSandbox, "cancel", "work"), "paddock sandbox destroy work");
}

TEST(OtherKind, HasNoneWhereNothingIsLikeIt) {
  EXPECT_EQ(way_for(Kind::kSandbox, "receipt", "work"), "");
  EXPECT_EQ(way_for(Kind::kRun, "exec", "train"), "");
}

}  // namespace
}  // namespace paddock::cli
