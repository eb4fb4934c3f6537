#include "common/contracts/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

using testing::StartsWith;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;

Millis seconds(int64_t count) { return Millis(count * 1000); }

// proves partly: ORB-117, ORB-118, ORB-119, ORB-120
TEST(Profiles, ComputeHasTheNumbersOfItsDesign) {
  const SandboxLimits limits = profile_policy("compute")->limits;
  EXPECT_EQ(limits.memory->bytes, 8 * kGiB);
  EXPECT_EQ(limits.file_size->bytes, 2 * kGiB);
  EXPECT_EQ(limits.pids, 64);
  EXPECT_EQ(limits.wall_time->value, seconds(1800));
}

// proves partly: VLT-37, VLT-38, VLT-39, VLT-40, VLT-41, VLT-42
TEST(Profiles, TestHasTheNumbersOfItsDesign) {
  const SandboxLimits limits = profile_policy("test")->limits;
  EXPECT_EQ(limits.wall_time->value, seconds(30));
  EXPECT_EQ(limits.cpu_time->value, seconds(20));
  EXPECT_EQ(limits.memory->bytes, 512 * kMiB);
  EXPECT_EQ(limits.pids, 32);
  EXPECT_EQ(limits.open_files, 512);
  EXPECT_EQ(limits.stdout_bytes->bytes, kMiB);
  EXPECT_EQ(limits.stderr_bytes->bytes, kMiB);
}

// proves partly: ELV-55, ELV-56, ELV-57, ELV-58, ELV-59, ELV-60, ELV-69
TEST(Profiles, SnippetHasTheNumbersOfItsDesign) {
  const SandboxLimits limits = profile_policy("snippet")->limits;
  EXPECT_EQ(limits.wall_time->value, seconds(35));
  EXPECT_EQ(limits.memory->bytes, 268'435'456);
  EXPECT_EQ(limits.cpu_time->value, seconds(30));
  EXPECT_EQ(limits.file_size->bytes, 1'048'576);
  EXPECT_EQ(limits.open_files, 16);
  EXPECT_EQ(limits.pids, 8);
  EXPECT_EQ(limits.fs_bytes->bytes, 48 * kMiB);
}

// proves partly: WSM-102, WSM-103, WSM-104, WSM-105, WSM-106, WSM-107
TEST(Profiles, SessionHasTheNumbersOfItsDesign) {
  const SandboxLimits limits = profile_policy("session")->limits;
  EXPECT_EQ(limits.wall_time->value, seconds(10));
  EXPECT_EQ(limits.memory->bytes, 256 * kMiB);
  EXPECT_EQ(limits.fs_bytes->bytes, 256 * kMiB);
  EXPECT_EQ(limits.stdout_bytes->bytes, kMiB);
  EXPECT_EQ(limits.stderr_bytes->bytes, kMiB);
  EXPECT_EQ(limits.command_bytes->bytes, 65'536);
}

// proves partly: WSM-22, WSM-99, WSM-100
TEST(Profiles, GiveNoNetworkNoMountsAndNothingPartial) {
  EXPECT_EQ(names_of(builtin_profiles()), "agent, code, command, compute, session, snippet, test");
  for (const auto& [name, profile] : builtin_profiles()) {
    EXPECT_FALSE(profile.policy.network->enabled) << name;
    EXPECT_TRUE(profile.policy.host_mounts.empty()) << name;
    EXPECT_TRUE(profile.policy.devices.empty()) << name;
    EXPECT_FALSE(profile.policy.allow_partial) << name;
  }
  EXPECT_EQ(profile_policy("none"), std::nullopt);
}

// proves partly: ORB-49, ORB-54
TEST(Profiles, GiveALoopbackToAllButThoseOfExactDesigns) {
  for (const auto& [name, profile] : builtin_profiles()) {
    const bool exact = name == "compute" || name == "snippet";
    EXPECT_EQ(profile.policy.network->loopback.value_or(false), !exact) << name;
  }
}

// Each `npm` would look up its registry, and a denial in a run that did well be reported.
TEST(Profiles, LetNpmAskForNoNewerNpmWhereProjectsRunIt) {
  for (const char* name : {"command", "session"})
    EXPECT_EQ(builtin_profiles().at(name).environment.at("npm_config_update_notifier"), "false");
  EXPECT_EQ(build_environment().at("npm_config_update_notifier"), "false");
}

// proves partly: ELV-54
TEST(Profiles, SnippetHasTheFolderAndTheExactVariablesOfItsDesign) {
  const Profile& snippet = builtin_profiles().at("snippet");
  EXPECT_EQ(snippet.workdir, "/tmp");
  EXPECT_EQ(snippet.environment,
            (std::map<std::string, std::string>{{"HOME", "/tmp"},
                                                {"PATH", "/opt/sandbox/bin:/usr/bin:/bin"},
                                                {"PYTHONDONTWRITEBYTECODE", "1"},
                                                {"PYTHONUNBUFFERED", "1"}}));
}

// proves partly: VLT-03
// proves: VLT-79
TEST(Profiles, TestHasADeterministicEnvironment) {
  const auto& env = builtin_profiles().at("test").environment;
  EXPECT_EQ(env.at("PYTHONHASHSEED"), "0");
  EXPECT_EQ(env.at("PYTHONDONTWRITEBYTECODE"), "1");
  EXPECT_FALSE(env.contains("COVERAGE_PROCESS_START"));
  EXPECT_EQ(env.at("PYTHONPATH"), "");
}

std::string minimal_profile(std::string_view limits) {
  return cat("description: ours\nworkdir: /workspace\nenvironment: {PATH: /bin}\npolicy: {limits: ",
             limits, "}\n");
}
constexpr std::string_view kAllLimits =
    "{wallTime: 1m, memory: 1Gi, pids: 9, openFiles: 99, fileSize: 1Mi, fsBytes: 1Mi, "
    "fileCount: 9, stdout: 1Mi, stderr: 1Mi, commandBytes: 1Ki}";

TEST(OperatorProfiles, ReplaceABuiltInOneOrAddAnother) {
  const auto profiles = profiles_with(
      {{"test", minimal_profile(kAllLimits)}, {"nightly", minimal_profile(kAllLimits)}});
  ASSERT_TRUE(profiles.ok()) << profiles.error().describe();
  EXPECT_EQ(names_of(*profiles), "agent, code, command, compute, nightly, session, snippet, test");
  EXPECT_EQ(profiles->at("test").policy.limits.pids, 9);
  EXPECT_EQ(profiles->at("compute").policy.limits.pids, 64);
}

// proves partly: ELV-04
TEST(OperatorProfiles, AreRefusedWithTheFileAndTheField) {
  const auto fault = [](const std::string& name, const std::string& text) {
    const auto profiles = profiles_with({{name, text}});
    return profiles.ok() ? "accepted"
                         : cat(profiles.error().reason, " ", profiles.error().causes.at(0).field,
                               ": ", profiles.error().causes.at(0).message);
  };
  EXPECT_THAT(fault("test", minimal_profile("{pids: 0}")),
              StartsWith("PROFILE_INVALID test.yaml:4: policy.limits.pids: "));
  EXPECT_THAT(fault("test", minimal_profile("{pids: 3}")),
              StartsWith("PROFILE_INVALID test.yaml:4: policy.limits.wallTime: "));
  EXPECT_THAT(fault("test", cat(minimal_profile(kAllLimits), "limits: {}\n")),
              StartsWith("PROFILE_INVALID test.yaml:5: limits: "));
  EXPECT_THAT(fault("test", minimal_profile(cat(kAllLimits.substr(0, kAllLimits.size() - 1),
                                                ", cpuTime: null}"))),
              StartsWith("PROFILE_INVALID test.yaml:4: policy.limits.cpuTime: null "));
  EXPECT_THAT(fault("test", "a: ["), StartsWith("PROFILE_INVALID test.yaml: "));
  EXPECT_THAT(fault("Te st", minimal_profile(kAllLimits)),
              StartsWith("PROFILE_INVALID Te st.yaml: "));
}

// proves partly: VLT-04, VLT-91
TEST(CommandEnvironment, AddsToTheProfilesAndReplacesNothing) {
  const auto& profile = builtin_profiles().at("test").environment;
  SandboxPolicy policy;
  policy.env = {{"COVERAGE_PROCESS_START", "/workspace/.coveragerc"}, {"PYTHONPATH", "/workspace"}};
  const auto env = command_environment(profile, policy, true);
  ASSERT_TRUE(env.ok());
  EXPECT_EQ(env->at("PYTHONPATH"), "/workspace");
  EXPECT_EQ(env->at("COVERAGE_PROCESS_START"), "/workspace/.coveragerc");
  EXPECT_EQ(env->at("PYTHONHASHSEED"), "0");
  EXPECT_EQ(env->at("VIRTUAL_ENV"), "/venv");
  for (const char* name : {"PATH", "HOME", "PYTHONHASHSEED", "VIRTUAL_ENV"}) {
    policy.env = {{name, "/workspace/other"}};
    const auto refused = command_environment(profile, policy, false);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().reason, "ENV_NOT_ALLOWED");
    EXPECT_EQ(refused.error().causes.at(0).field, cat("env.", name));
  }
  policy.env = {{"LSAN_OPTIONS", "verbosity=1"}, {"PYTHONUNBUFFERED", ""}};
  EXPECT_EQ(command_environment(profile, policy, false)->at("LSAN_OPTIONS"), "verbosity=1");
  policy.env = {{"PYTHONHASHSEED", "0"}};
  EXPECT_TRUE(command_environment(profile, policy, false).ok());
}

}  // namespace
}  // namespace paddock::contracts
