#include "node-agent/host/host_status.h"

#include <vector>

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

contracts::NodeStatus status() {
  contracts::NodeStatus out;
  out.capacity = {4, {8LL << 30}, {100LL << 30}, 4};
  return out;
}

TEST(HostStatus, TellsOfDevicesAndOfLargeChangesOfTheDiskOnly) {
  std::vector<contracts::NodeStatus> told;
  HostStatus host(status(), [&](const contracts::NodeStatus& now) { told.push_back(now); });
  host.publish();
  ASSERT_EQ(told.size(), 1u);
  host.change([](contracts::NodeStatus& now) { now.capacity.disk.bytes -= 1LL << 30; });
  EXPECT_EQ(told.size(), 1u) << "a hundredth is not worth it";
  host.change([](contracts::NodeStatus& now) { now.capacity.disk.bytes -= 10LL << 30; });
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1].capacity.disk.bytes, 90LL << 30);
  host.change([](contracts::NodeStatus& now) { now.devices = {{"nvidia", "0", ""}}; });
  EXPECT_EQ(told.size(), 3u);
  host.change([](contracts::NodeStatus&) {});
  EXPECT_EQ(told.size(), 3u);
  const auto little = [](contracts::NodeStatus& now) { now.allocatable_disk->bytes -= 1; };
  host.change([](contracts::NodeStatus& now) { now.allocatable_disk = {90LL << 30}; });
  EXPECT_EQ(told.size(), 4u);
  host.change(little);
  EXPECT_EQ(told.size(), 4u);
  host.change_and_tell(little);
  ASSERT_EQ(told.size(), 5u) << "who is refused by it hears how much there is";
  EXPECT_EQ(told[4].allocatable_disk->bytes, (90LL << 30) - 1);
}

}  // namespace
}  // namespace paddock::agent
