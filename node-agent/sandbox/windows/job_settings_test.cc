#include "node-agent/sandbox/windows/job_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/every_limit_test_support.h"

namespace paddock::sandbox {
namespace {

using contracts::EnforcementLevel;
using contracts::LaunchRequest;
using testing::HasSubstr;

LaunchRequest job_request() {
  LaunchRequest out;
  out.command = {"python.exe"};
  contracts::SandboxLimits& limits = out.policy.limits;
  limits.wall_time = wire::Duration{Millis(60'000)};
  limits.cpu_time = wire::Duration{Millis(2'500)};
  limits.memory = wire::Quantity{int64_t{8} << 30};
  limits.pids = 64;
  return out;
}

// proves partly: VLT-20, VLT-77
TEST(JobSettings, RendersEveryLimitThatAJobHas) {
  const JobPlan plan = *make_job_plan(job_request(), true);
  EXPECT_EQ(describe_job(plan.settings),
            "kill-on-close\n"
            "die-on-unhandled-exception\n"
            "active-processes 64\n"
            "job-memory 8589934592\n"
            "job-time-100ns 25000000\n"
            "ui 0xff\n");
  EXPECT_EQ(plan.settings.flags, 0x260cU);
  EXPECT_FALSE(plan.partial);
}

TEST(JobSettings, SaysOfEveryLimitWhatBecomesOfIt) {
  LaunchRequest asked = job_request();
  asked.policy.limits = every_limit();
  asked.policy.allow_partial = true;
  EXPECT_THAT(ignored_limits(make_job_plan(asked, true)->enforced), testing::IsEmpty());
}

TEST(JobSettings, SetsNoLimitThatWasNotAskedFor) {
  LaunchRequest bare = job_request();
  bare.policy.limits = {};
  EXPECT_EQ(describe_job(make_job_plan(bare, true)->settings),
            "kill-on-close\ndie-on-unhandled-exception\nui 0xff\n");
}

// proves partly: VLT-27, VLT-28, VLT-29, VLT-30, VLT-31, VLT-32, VLT-33
TEST(JobSettings, ClaimsNeitherFilesNorNetworkNorSystemCalls) {
  const JobPlan plan = *make_job_plan(job_request(), true);
  for (const char* none : {"filesystem", "network", "syscalls", "privileges"})
    EXPECT_EQ(plan.enforced.at(none).level, EnforcementLevel::kNone) << none;
  for (const char* kernel : {"memory", "pids", "cpuTime", "processes"})
    EXPECT_EQ(plan.enforced.at(kernel).level, EnforcementLevel::kKernel) << kernel;
  EXPECT_EQ(plan.enforced.at("wallTime").level, EnforcementLevel::kBroker);
}

// proves partly: VLT-16
TEST(JobSettings, RunsNothingUnlessTheOperatorAcceptsAnOpenHost) {
  LaunchRequest asked = job_request();
  asked.policy.allow_partial = true;  // never covers files and network
  EXPECT_EQ(make_job_plan(asked, false).error().reason, "WALLS_UNAVAILABLE");
}

TEST(JobSettings, RefusesWhatWindowsDoesNotHave) {
  const auto reason = [](const LaunchRequest& asked) {
    return make_job_plan(asked, true).error().reason;
  };
  LaunchRequest asked = job_request();
  asked.policy.tools = {"python"};
  EXPECT_EQ(reason(asked), "TOOLS_UNSUPPORTED");
  asked = job_request();
  asked.policy.devices = {"/dev/x"};
  EXPECT_EQ(reason(asked), "DEVICES_UNSUPPORTED");
  asked = job_request();
  asked.policy.network = {true, {"example.org"}};
  EXPECT_EQ(reason(asked), "NETWORK_UNAVAILABLE");
  asked = job_request();
  asked.policy.limits.open_files = 9;
  asked.policy.limits.fs_bytes = wire::Quantity{1};
  EXPECT_EQ(reason(asked), "LIMITS_UNENFORCEABLE");
  EXPECT_THAT(make_job_plan(asked, true).error().message, HasSubstr("openFiles, fsBytes"));
  asked.policy.allow_partial = true;
  EXPECT_TRUE(make_job_plan(asked, true)->partial);
}

// proves partly: VLT-78
TEST(JobSettings, BelievesTheJobAndNotTheCallThatSetIt) {
  const JobPlan asked = *make_job_plan(job_request(), true);
  JobPlan plan = asked;
  EXPECT_TRUE(compare_job(asked.settings, false, plan).ok());

  JobSettings forgetful = asked.settings;
  forgetful.flags &= ~(job::kJobMemory | job::kActiveProcess);
  const Status refused = compare_job(forgetful, false, plan);
  EXPECT_EQ(refused.error().reason, "JOB_LIMIT_NOT_HELD");
  EXPECT_THAT(refused.error().message, HasSubstr("memory, pids"));

  plan = asked;
  EXPECT_TRUE(compare_job(forgetful, true, plan).ok());
  EXPECT_TRUE(plan.partial);
  EXPECT_EQ(plan.enforced.at("memory").level, EnforcementLevel::kNone);
  EXPECT_EQ(plan.enforced.at("cpuTime").level, EnforcementLevel::kKernel);

  JobSettings changed = asked.settings;
  changed.active_processes = 1000;
  EXPECT_EQ(compare_job(changed, false, plan).error().reason, "JOB_LIMIT_NOT_HELD");

  JobSettings loose = asked.settings;
  loose.flags &= ~job::kKillOnClose;
  EXPECT_THAT(compare_job(loose, false, plan).error().message, HasSubstr("processes"));
}

}  // namespace
}  // namespace paddock::sandbox
