#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using contracts::LaunchRequest;

HostFacts host_with_landlock() {
  HostFacts host;
  host.privileged = true;
  host.kernel_major = 6;
  host.landlock = 7;
  host.cgroup = {CgroupFacts::Version::kV1, "/cg/memory", "/cg/pids", "/cg/cpuacct", "", ""};
  return host;
}

LaunchRequest launch_request() {
  LaunchRequest out;
  out.command = {"true"};
  out.workdir = "/";
  out.policy = *contracts::profile_policy("test");
  return out;
}

std::string refusal_of(const LaunchRequest& launch, const HostFacts& host) {
  const auto plan = make_plan(launch, host);
  return plan.ok() ? "planned" : plan.error().reason.str();
}

TEST(Devices, GivesADeviceThatTheCommandCanOpenAndNoOther) {
  LaunchRequest launch = launch_request();
  launch.policy.devices = {"/dev/accel0"};
  HostFacts host = host_with_landlock();
  DeviceFact device{"/dev/accel0", DeviceFact::Kind::kCharacter, 195, 0, 0666, 0, 0, true};
  const auto with = [&](const DeviceFact& fact) {
    host.named = std::make_shared<const RequestFacts>(RequestFacts{.devices = {fact}});
    return refusal_of(launch, host);
  };
  EXPECT_EQ(with(device), "planned");
  device.mode = 0660;
  EXPECT_EQ(with(device), "DEVICE_UNAVAILABLE");
  device.mode = 0666;
  device.kind = DeviceFact::Kind::kOther;
  EXPECT_EQ(with(device), "DEVICE_UNAVAILABLE");
  device.kind = DeviceFact::Kind::kCharacter;
  for (const auto& [major, minor] : {std::pair{1U, 1U}, {1U, 11U}, {21U, 3U}}) {
    device.major = major;
    device.minor = minor;
    EXPECT_EQ(with(device), "DEVICE_UNAVAILABLE") << major << ":" << minor;
  }
  device.major = 195;
  for (const char* path : {"/etc/x", "/dev/../etc/x", "/dev/shm/x", "dev/x"}) {
    device.path = path;
    EXPECT_EQ(with(device), "DEVICE_UNAVAILABLE") << path;
  }
}

TEST(Devices, ThatOnlyMacosHasAreRefusedByName) {
  LaunchRequest launch = launch_request();
  launch.policy.devices = {std::string(contracts::kAppleGpu)};
  HostFacts host = host_with_landlock();
  const DeviceFact file{"apple:gpu", DeviceFact::Kind::kCharacter, 195, 0, 0666, 0, 0, true};
  for (const DeviceFact& found : {DeviceFact{.path = "apple:gpu"}, file}) {
    host.named = std::make_shared<const RequestFacts>(RequestFacts{.devices = {found}});
    const auto refused = make_plan(launch, host);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, "DEVICE_UNAVAILABLE");
    EXPECT_THAT(refused.error().message,
                AllOf(StartsWith("devices[0]: apple:gpu "), HasSubstr("macOS")));
  }
}

TEST(Tools, AreRefusedWhereTheKernelCannotNarrowThem) {
  LaunchRequest launch = launch_request();
  launch.policy.tools = {"cat"};
  HostFacts host = host_with_landlock();
  host.named = std::make_shared<const RequestFacts>(RequestFacts{
      .tools = {{.name = "cat", .file = "/usr/bin/cat", .interpreter = "/usr/lib/ld.so"}}});
  const auto plan = make_plan(launch, host);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(tool_allowed(plan->tools, "/usr/bin/cat"));
  EXPECT_EQ(plan->enforced.at("tools").level, contracts::EnforcementLevel::kKernel);
  host.landlock = 1;
  EXPECT_EQ(refusal_of(launch, host), "TOOLS_UNSUPPORTED");
}

}  // namespace
}  // namespace paddock::sandbox
