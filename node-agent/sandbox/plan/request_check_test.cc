#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/plan_test_support.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;

TEST(RequestCheck, RefusesARequestThatMakesNoSenseBeforeAnyHostIsAsked) {
  const auto reason = [](auto change) {
    LaunchRequest launch = plain_request();
    change(launch);
    const auto plan = make_plan(launch, root_host());
    return plan.ok() ? "accepted" : plan.error().reason.str();
  };
  using L = LaunchRequest;
  const std::string nul("a\0b", 3);
  EXPECT_EQ(reason([](L&) {}), "accepted");
  EXPECT_EQ(reason([](L& l) { l.workdir = "tmp"; }), "INVALID_WORKDIR");
  EXPECT_EQ(reason([](L& l) { l.command = {}; }), "INVALID_COMMAND");
  EXPECT_EQ(reason([](L& l) { l.command = {""}; }), "INVALID_COMMAND");
  EXPECT_EQ(reason([&](L& l) { l.command.push_back(nul); }), "INVALID_COMMAND");
  EXPECT_EQ(reason([&](L& l) { l.env["A"] = nul; }), "INVALID_ENVIRONMENT");
  EXPECT_EQ(reason([](L& l) { l.env["A=B"] = "c"; }), "INVALID_ENVIRONMENT");
  EXPECT_EQ(reason([](L& l) { l.env[""] = "c"; }), "INVALID_ENVIRONMENT");
  EXPECT_EQ(reason([](L& l) { l.mounts[0].host_path = "ws"; }), "INVALID_MOUNT");
  EXPECT_EQ(reason([](L& l) { l.mounts[0].sandbox_path = "/usr/lib"; }), "INVALID_MOUNT");
  const auto layers = [&](const char* lower, const char* work, contracts::MountMode mode) {
    return reason([&](L& l) {
      l.mounts[0].lower_path = lower;
      l.mounts[0].work_path = work;
      l.mounts[0].mode = mode;
    });
  };
  EXPECT_EQ(layers("/lower", "/work", contracts::MountMode::kReadWrite), "accepted");
  EXPECT_EQ(layers("/lower", "/work", contracts::MountMode::kReadOnly), "INVALID_MOUNT");
  EXPECT_EQ(layers("lower", "/work", contracts::MountMode::kReadWrite), "INVALID_MOUNT");
  EXPECT_EQ(layers("", "/work", contracts::MountMode::kReadWrite), "INVALID_MOUNT");
  EXPECT_EQ(reason([](L& l) { l.policy.limits.command_bytes = wire::Quantity{3}; }),
            "COMMAND_TOO_LARGE");
}

}  // namespace
}  // namespace paddock::sandbox
