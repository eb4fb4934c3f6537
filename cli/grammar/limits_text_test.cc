#include "cli/grammar/limits_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/grammar/command_table.h"
#include "cli/output/run_report.h"
#include "common/contracts/profile.h"

namespace paddock::cli {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::HasSubstr;

contracts::Run run_of_profile(const char* profile) {
  contracts::Run run;
  run.status.policy = contracts::builtin_profiles().at(profile).policy;
  return run;
}

TEST(Limits, AreToldBeforeTheRun) {
  contracts::Run run = run_of_profile("command");
  run.status.policy->network = contracts::NetworkPolicy{};
  EXPECT_EQ(limits_line(run),
            "limits: 30m, 8Gi memory, 1024 processes, 4Gi disk, no network, no file comes back "
            "(--timeout, --memory, --pids, --disk, --cpu, --allow-domain, --artifact-dir)");
  run.spec.artifacts.dirs = {"out"};
  EXPECT_THAT(limits_line(run), testing::EndsWith("4Gi disk, no network (--timeout, --memory, "
                                                  "--pids, --disk, --cpu, --allow-domain)"));
  run.spec.resources.emplace().cpu = 2;
  run.status.policy->network = contracts::NetworkPolicy{true, {"pypi.org", "a.b"}, {}};
  EXPECT_THAT(limits_line(run), HasSubstr("2 cores, network to pypi.org a.b"));
  run.status.policy->network = contracts::NetworkPolicy{false, {}, true};
  EXPECT_THAT(limits_line(run), HasSubstr("no network but localhost"));
  EXPECT_EQ(limits_line(contracts::Run{}), "");
}

SandboxResult struck(SandboxStatus status, const char* code = "") {
  SandboxResult result;
  result.policy = contracts::builtin_profiles().at("command").policy;
  result.status = status;
  result.code = code;
  return result;
}

TEST(Limits, ThatStruckAreNamedWithTheirOptions) {
  EXPECT_EQ(limits_struck(struck(SandboxStatus::kMemLimit), "run"),
            "limit: memory was 8Gi; --memory raises it\n");
  EXPECT_EQ(limits_struck(struck(SandboxStatus::kTimeout), "run"),
            "limit: wallTime was 30m; --timeout raises it\n");
  EXPECT_EQ(limits_struck(struck(SandboxStatus::kLimitExceeded, "E_LIMIT_PIDS"), "run"),
            "limit: pids was 1024; --pids raises it\n");
  SandboxResult loud = struck(SandboxStatus::kOk);
  EXPECT_EQ(limits_struck(loud, "run"), "");
  loud.truncated.out = true;  // of the part that its result repeats
  loud.usage.stdout_bytes = 70'000;
  EXPECT_EQ(limits_struck(loud, "run"), "");
  loud.usage.stdout_bytes = (int64_t{64} << 20) + 1;
  EXPECT_EQ(limits_struck(loud, "run"), "limit: stdout was 64Mi; --output-bytes raises it\n");
  EXPECT_EQ(limits_struck(struck(SandboxStatus::kOk, "E_LIMIT_FS"), "run"),
            "limit: fsBytes was 4Gi; --disk raises it\n");
  SandboxResult complaining = struck(SandboxStatus::kFailed);
  complaining.err = "Error: EMFILE: too many open files, open 'x'";
  EXPECT_EQ(limits_struck(complaining, "run"),
            "limit: openFiles was 16384; --open-files raises it\n");
}

// Each option that is named exists.
TEST(Limits, AreRaisedByOptionsOfARun) {
  const CommandRow* row = find_command("run");
  ASSERT_NE(row, nullptr);
  const auto has = [&](std::string_view option) {
    return std::ranges::any_of(
        row->options, [&](const OptionRow& each) { return cat("--", long_name(each)) == option; });
  };
  for (const auto status :
       {SandboxStatus::kTimeout, SandboxStatus::kCpuLimit, SandboxStatus::kMemLimit}) {
    const std::string line = limits_struck(struck(status), "run");
    const size_t at = line.find("--");
    EXPECT_TRUE(has(line.substr(at, line.find(' ', at) - at))) << line;
  }
  for (const char* code : {"E_LIMIT_PIDS", "E_LIMIT_FILES", "E_LIMIT_FS", "E_LIMIT_COMMAND"}) {
    const std::string line = limits_struck(struck(SandboxStatus::kLimitExceeded, code), "run");
    const size_t at = line.find("--");
    ASSERT_NE(at, std::string::npos) << code;
    EXPECT_TRUE(has(line.substr(at, line.find(' ', at) - at))) << line;
  }
}

TEST(Enforced, IsOneLineUnlessSomethingIsLackingOrAskedFor) {
  SandboxResult result;
  EXPECT_EQ(enforced_summary(result, true), "");
  result.enforced["memory"] = {"1Gi", true, "cgroup", contracts::EnforcementLevel::kKernel, ""};
  EXPECT_EQ(enforced_summary(result, false), "enforced: 1 of 1 (-v shows them)\n");
  EXPECT_THAT(enforced_summary(result, true), HasSubstr("enforced: 1 of 1\n  CAPABILITY"));
  result.enforced["pids"] = {64, false, "none", contracts::EnforcementLevel::kNone, "no cgroup"};
  EXPECT_THAT(enforced_summary(result, false), HasSubstr("enforced: 1 of 2\n  CAPABILITY"));
  EXPECT_THAT(enforced_summary(result, false), HasSubstr("no cgroup"));
}

}  // namespace
}  // namespace paddock::cli
