#include "node-agent/sandbox/macos/seatbelt_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/every_limit_test_support.h"

namespace paddock::sandbox {
namespace {

using contracts::EnforcementLevel;
using contracts::LaunchRequest;
using testing::HasSubstr;
using testing::Not;

LaunchRequest seatbelt_request() {
  LaunchRequest out;
  out.trace_id = "t";
  out.command = {"/venv/bin/python3", "/workspace/x.py"};
  out.workdir = "/workspace/src";
  out.env = {{"PATH", "/venv/bin:/usr/bin:/venvs"}, {"HOME", "/workspace"}, {"TMPDIR", "/tmp"}};
  return out;
}

RunPaths paths() {
  return {.mounts = {{"/Users/ann/ws", "/workspace", true},
                     {"/Users/ann/v", "/venv", false},
                     {"/Users/ann/src", "/workspace/src", false}},
          .scratch = "/private/runs/1/tmp",
          .policy = "/private/runs/1/policy.json",
          .confine = "/opt/paddock/bin/paddock-confine"};
}

Result<SeatbeltPlan> plan(const LaunchRequest& request) {
  return make_seatbelt_plan(request, {.hard_open_files = 1000, .hard_file_size = 1000}, paths());
}

TEST(SeatbeltPlan, CallsPathsOfTheViewAsThisHostDoes) {
  const SeatbeltPlan out = *plan(seatbelt_request());
  EXPECT_EQ(out.workdir, "/Users/ann/src");  // the longest mount counts
  EXPECT_EQ(out.command, (std::vector<std::string>{"/Users/ann/v/bin/python3", "/workspace/x.py"}));
  EXPECT_EQ(out.env.at("PATH"), "/Users/ann/v/bin:/usr/bin:/venvs");
  EXPECT_EQ(out.env.at("HOME"), "/Users/ann/ws");
  EXPECT_EQ(out.env.at("TMPDIR"), "/private/runs/1/tmp");
}

TEST(SeatbeltPlan, SaysOfEveryLimitWhatBecomesOfIt) {
  LaunchRequest asked = seatbelt_request();
  asked.policy.limits = every_limit();
  asked.policy.allow_partial = true;
  EXPECT_THAT(ignored_limits(plan(asked)->enforced), testing::IsEmpty());
}

// Every profile but two has one by default.
TEST(SeatbeltPlan, SaysThatItHasNoLoopbackOfItsOwnAndGoesOn) {
  LaunchRequest asked = seatbelt_request();
  EXPECT_FALSE(plan(asked)->enforced.contains("loopback"));
  asked.policy.network = contracts::NetworkPolicy{.loopback = true};
  const SeatbeltPlan out = *plan(asked);
  EXPECT_EQ(out.enforced.at("loopback").level, EnforcementLevel::kNone);
  EXPECT_EQ(out.enforced.at("network").requested, wire::Value("none"));
  EXPECT_FALSE(out.partial) << "it is stricter than was asked for, not weaker";
}

// proves partly: VLT-27, VLT-28, VLT-29, VLT-30, VLT-31, VLT-32, VLT-36
TEST(SeatbeltPlan, ClaimsTheLevelThatMacosCanKeepAndNoMore) {
  LaunchRequest asked = seatbelt_request();
  contracts::SandboxLimits& limits = asked.policy.limits;
  limits.wall_time = limits.cpu_time = wire::Duration{Millis(5000)};
  limits.memory = wire::Quantity{1 << 20};
  limits.address_space = wire::Quantity{1 << 20};
  limits.pids = 8;
  limits.open_files = 5000;
  limits.file_size = wire::Quantity{500};
  asked.cpus = 2;
  const SeatbeltPlan out = *plan(asked);
  const auto level = [&](const char* name) { return out.enforced.at(name).level; };
  for (const char* kernel : {"filesystem", "network", "cpuTime", "openFiles", "fileSize"})
    EXPECT_EQ(level(kernel), EnforcementLevel::kKernel) << kernel;
  for (const char* polled : {"memory", "pids"})
    EXPECT_EQ(level(polled), EnforcementLevel::kPolled) << polled;
  EXPECT_EQ(level("cpus"), EnforcementLevel::kNone);
  for (const char* none : {"addressSpace", "privileges", "syscalls"})
    EXPECT_EQ(level(none), EnforcementLevel::kNone) << none;
  EXPECT_EQ(level("processes"), EnforcementLevel::kAdvisory);
  EXPECT_FALSE(out.partial);  // memory stands in for the address space
  for (const RlimitSetting& each : out.rlimits) {
    EXPECT_NE(each.name, "nproc");
    EXPECT_NE(each.name, "as");
    if (each.name == "nofile") {
      EXPECT_EQ(each.hard, 1000U);  // the host's own ceiling
    }
  }
}

// proves partly: ORB-02
TEST(SeatbeltPlan, OpensTheGpuToTheRunThatIsGrantedItAndToNoOther) {
  LaunchRequest asked = seatbelt_request();
  const SeatbeltPlan without = *plan(asked);
  EXPECT_THAT(without.profile, Not(HasSubstr("iokit")));
  EXPECT_FALSE(without.enforced.contains("devices"));
  asked.policy.devices = {std::string(contracts::kAppleGpu)};
  const SeatbeltPlan with = *plan(asked);
  EXPECT_THAT(with.profile, HasSubstr("(allow iokit-open\n"));
  EXPECT_EQ(with.enforced.at("devices").level, EnforcementLevel::kKernel);
  EXPECT_EQ(with.enforced.at("devices").requested, wire::encode(asked.policy.devices));
}

// proves partly: ORB-44
TEST(SeatbeltPlan, RefusesEveryOtherDeviceAndSaysWhatWouldPass) {
  const std::string gpu(contracts::kAppleGpu);
  for (const std::vector<std::string>& devices : {std::vector<std::string>{"/dev/kvm"},
                                                  {gpu, "/dev/kvm"},
                                                  {"/dev/kvm", gpu},
                                                  {"/dev/apple:gpu"},
                                                  {"apple:gpu0"},
                                                  {"apple:"},
                                                  {"Apple:GPU"},
                                                  {gpu + " "},
                                                  {gpu + std::string(1, '\0')}}) {
    LaunchRequest asked = seatbelt_request();
    asked.policy.devices = devices;
    asked.policy.allow_partial = true;  // which never covers devices
    const auto refused = plan(asked);
    ASSERT_FALSE(refused.ok()) << devices.back();
    EXPECT_EQ(refused.error().reason, "DEVICES_UNSUPPORTED");
    EXPECT_THAT(refused.error().message, HasSubstr("apple:gpu"));
  }
}

TEST(SeatbeltPlan, NothingElseOfARequestOpensTheGpu) {
  const std::string gpu(contracts::kAppleGpu);
  LaunchRequest asked = seatbelt_request();
  asked.trace_id = asked.env["GPU"] = gpu;
  asked.command = {"/venv/bin/python3", gpu, "(allow iokit-open)"};
  asked.policy.env = {{"devices", gpu}};
  RunPaths named = paths();
  named.mounts.push_back({"/Users/ann/apple:gpu\") (allow iokit-open) (x \"", "/gpu", true});
  const auto out =
      make_seatbelt_plan(asked, {.hard_open_files = 1000, .hard_file_size = 1000}, named);
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_THAT(out->profile, Not(HasSubstr("\n(allow iokit")));
  EXPECT_FALSE(out->enforced.contains("devices"));
}

TEST(SeatbeltPlan, RefusesAnAddressSpaceThatNothingStandsInFor) {
  LaunchRequest asked = seatbelt_request();
  asked.policy.limits.address_space = wire::Quantity{1 << 20};
  const auto refused = plan(asked);
  EXPECT_EQ(refused.error().reason, "LIMITS_UNENFORCEABLE");
  EXPECT_THAT(refused.error().message, HasSubstr("allowPartial"));
  asked.policy.allow_partial = true;
  EXPECT_TRUE(plan(asked)->partial);
}

}  // namespace
}  // namespace paddock::sandbox
