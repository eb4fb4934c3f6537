#include "common/contracts/sandbox_policy.h"

#include <gtest/gtest.h>

#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;

Millis seconds(int64_t count) { return Millis(count * 1000); }

std::string fault_of(std::string_view yaml) {
  const auto value = wire::parse_yaml(yaml);
  if (!value) return value.error().describe();
  const auto policy = wire::decode<SandboxPolicy>(*value);
  if (policy.ok()) return "accepted";
  return cat(policy.error().causes.at(0).field, ": ", policy.error().causes.at(0).message);
}

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

TEST(Profiles, SetEveryLimitExceptCpuTimeAndGiveNoNetwork) {
  for (const std::string& name : profile_names()) {
    const SandboxPolicy policy = *profile_policy(name);
    EXPECT_FALSE(policy.network->enabled) << name;
    EXPECT_TRUE(policy.host_mounts.empty()) << name;
    EXPECT_FALSE(policy.allow_partial) << name;
    const wire::Value limits = wire::encode(policy).find("limits") != nullptr
                                   ? *wire::encode(policy).find("limits")
                                   : wire::Value();
    const size_t unset = name == "compute" ? 1 : 0;  // ORB S6 names no CPU time
    EXPECT_EQ(limits.object()->size(), 11 - unset) << name;
  }
  EXPECT_EQ(profile_policy("none"), std::nullopt);
}

TEST(EffectivePolicy, TakesRequestedLimitsAndTheProfilesOtherwise) {
  SandboxPolicy requested;
  requested.limits.memory = wire::Quantity{kGiB};
  requested.env["A"] = "b";
  const SandboxPolicy policy = effective_policy(*profile_policy("compute"), requested);
  EXPECT_EQ(policy.limits.memory->bytes, kGiB);
  EXPECT_EQ(policy.limits.pids, 64);
  EXPECT_EQ(policy.env.at("A"), "b");
  EXPECT_FALSE(policy.network->enabled);
}

// proves partly: VLT-58, VLT-59, VLT-60, VLT-61, VLT-62, VLT-63
TEST(SandboxPolicy, RefusesNegativeZeroMistypedAndUnknownLimits) {
  EXPECT_EQ(fault_of("limits: {memory: 0}"), "limits.memory: must be more than zero");
  EXPECT_EQ(fault_of("limits: {memory: -1}"), "limits.memory: must not be negative");
  EXPECT_EQ(fault_of("limits: {memory: true}"),
            "limits.memory: expected a quantity such as \"512Mi\", got boolean");
  EXPECT_EQ(fault_of("limits: {stdout: 0}"), "limits.stdout: must be more than zero");
  EXPECT_EQ(fault_of("limits: {pids: 0}"), "limits.pids: must be at least 1");
  EXPECT_EQ(fault_of("limits: {pids: many}"), "limits.pids: expected integer, got string");
  EXPECT_EQ(fault_of("limits: {openFiles: 2}"), "limits.openFiles: must be at least 3");
  EXPECT_EQ(fault_of("limits: {mem: 1}"), "limits.mem: unknown field");
  for (const char* limit :
       {"wallTime: 0s", "wallTime: -3s", "wallTime: 3", "cpuTime: 0s", "cpuTime: forever"}) {
    EXPECT_NE(fault_of(cat("limits: {", limit, "}")), "accepted") << limit;
  }
}

TEST(SandboxPolicy, RefusesMountsThatAreNotPlainAbsolutePaths) {
  for (const char* path : {"a", "/", "", "/a/../b", "/a/./b", "//a", "/a/", "/a//b"}) {
    EXPECT_NE(fault_of(cat("hostMounts: [{hostPath: \"", path, "\", sandboxPath: /b}]")),
              "accepted")
        << path;
    EXPECT_NE(fault_of(cat("hostMounts: [{hostPath: /b, sandboxPath: \"", path, "\"}]")),
              "accepted")
        << path;
  }
  EXPECT_EQ(fault_of("hostMounts: [{hostPath: /a/b, sandboxPath: /c, mode: rw}]"), "accepted");
  EXPECT_EQ(fault_of("hostMounts: [{hostPath: /a, sandboxPath: /c, mode: rx}]"),
            "hostMounts[0].mode: \"rx\" is not one of: ro, rw");
}

TEST(SandboxPolicy, RefusesVariablesThatAreNone) {
  EXPECT_EQ(fault_of("env: {A_1: x}"), "accepted");
  for (const char* name : {"1A", "A-B", "A=B", "", "A B"}) {
    EXPECT_EQ(fault_of(cat("env: {\"", name, "\": x}")),
              cat("env.", name, ": is not a variable name"));
  }
  EXPECT_EQ(fault_of("env: {A: \"x\\0y\"}"), "env.A: must not contain a NUL byte");
}

TEST(SandboxPolicy, RefusesDomainsWithoutANetwork) {
  EXPECT_EQ(fault_of("network: {enabled: false, allowDomains: [a.example]}"),
            "network.allowDomains: has no effect while network.enabled is false");
}

}  // namespace
}  // namespace paddock::contracts
