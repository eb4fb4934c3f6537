#include "common/contracts/compute_quota.h"

#include <gtest/gtest.h>

#include "common/contracts/grant.h"

namespace paddock::contracts {
namespace {

TEST(ComputeQuota, IsToldInOneLineWithWhatIsInUse) {
  ComputeQuota quota;
  EXPECT_EQ(quota_text(quota, {}), "");
  quota.runs = 4;
  quota.memory = wire::Quantity{int64_t{8} << 30};
  quota.disk = wire::Quantity{int64_t{64} << 30};
  quota.accelerators = {{AcceleratorKind::kNvidia, 2}, {AcceleratorKind::kAny, 3}};
  EXPECT_EQ(quota_text(quota, {}), "runs 4, memory 8Gi, disk 64Gi, nvidia 2, accelerators 3");
  QuotaUse use;
  use.runs = 1;
  use.memory = wire::Quantity{int64_t{512} << 20};
  use.disk = wire::Quantity{int64_t{4} << 30};
  use.accelerators = {{AcceleratorKind::kAny, 1}};
  EXPECT_EQ(quota_text(quota, use),
            "runs 1/4, memory 512Mi/8Gi, disk 4Gi/64Gi, nvidia 0/2, accelerators 1/3");
}

TEST(ComputeQuota, IsReadWithTheFieldOfEachFault) {
  const auto faults = [](wire::Value quota) {
    const auto decoded = wire::decode<ComputeQuota>(quota);
    return decoded.ok() ? std::string() : decoded.error().causes.at(0).field;
  };
  EXPECT_EQ(faults(wire::Value::Object{{"runs", -1}}), "runs");
  EXPECT_EQ(faults(wire::Value::Object{{"cpu", "many"}}), "cpu");
  EXPECT_EQ(faults(wire::Value::Object{{"memory", "-1Gi"}}), "memory");
  EXPECT_EQ(faults(wire::Value::Object{{"disk", "-1Gi"}}), "disk");
  EXPECT_EQ(faults(wire::Value::Object{{"discs", 1}}), "discs");
  const wire::Value nameless = wire::Value::Object{{"kind", "nvidia"}};
  EXPECT_EQ(faults(wire::Value::Object{{"accelerators", wire::Value::Array{nameless}}}),
            "accelerators[0].count");
  EXPECT_EQ(faults(wire::Value::Object{{"runs", 0}, {"memory", "0"}}), "");
}

TEST(ComputeQuota, IsThereOnlyWhereAGrantHasOne) {
  GrantSpec spec;
  EXPECT_FALSE(quota_of(spec));
  spec.compute.emplace();
  EXPECT_FALSE(quota_of(spec));
  spec.compute->quota.emplace().runs = 1;
  EXPECT_EQ(quota_of(spec)->runs, 1);
}

}  // namespace
}  // namespace paddock::contracts
