#include "controller/standby/takeover_faults.h"

#include <gtest/gtest.h>

namespace paddock::standby {
namespace {

Error fault(Reason reason) { return {Code::kUnavailable, reason, "it is so"}; }

TEST(TakeoverFaults, AreWaitedOutWhereTheyMayPass) {
  EXPECT_TRUE(may_pass(fault("STORE_AWAY")));
  EXPECT_TRUE(may_pass(fault("NOT_LEADER")));
  EXPECT_FALSE(may_pass(fault("STORE_FENCED")));
  EXPECT_FALSE(may_pass(fault("CONFIG_INVALID")));
}

TEST(TakeoverFaults, OfThePlaceThatAllShareKeepNobodyElseFromLeading) {
  EXPECT_TRUE(all_lack_it(fault("BUCKET_SLOW")) && may_pass(fault("BUCKET_SLOW")));
  EXPECT_FALSE(all_lack_it(fault("STORE_AWAY")));
}

}  // namespace
}  // namespace paddock::standby
