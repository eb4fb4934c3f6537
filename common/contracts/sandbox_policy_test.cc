#include "common/contracts/sandbox_policy.h"

#include <gtest/gtest.h>

#include "common/contracts/fault_test_support.h"
#include "common/contracts/profile.h"
#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

constexpr int64_t kGibibyte = int64_t{1} << 30;

std::string fault_of_policy(std::string_view yaml) {
  const auto value = wire::parse_yaml(yaml);
  if (!value) return value.error().describe();
  const auto policy = wire::decode<SandboxPolicy>(*value);
  if (policy.ok()) return "accepted";
  return first_fault(policy.error());
}

// proves: VLT-90
TEST(EffectivePolicy, TakesTheProfilesLoopbackUnlessTheRequestSaysAnother) {
  const SandboxPolicy open = *profile_policy("test");
  SandboxPolicy requested;
  EXPECT_EQ(effective_policy(open, requested).network->loopback, true);
  requested.network = NetworkPolicy{true, {"a.example"}};
  EXPECT_EQ(effective_policy(open, requested).network->loopback, true);
  requested.network->loopback = false;
  EXPECT_EQ(effective_policy(open, requested).network->loopback, false);
  requested.network = NetworkPolicy{.loopback = true};
  EXPECT_EQ(effective_policy(*profile_policy("compute"), requested).network->loopback, true);
}

TEST(EffectivePolicy, TakesRequestedLimitsAndTheProfilesOtherwise) {
  SandboxPolicy requested;
  requested.limits.memory = wire::Quantity{kGibibyte};
  requested.env["A"] = "b";
  const SandboxPolicy policy = effective_policy(*profile_policy("compute"), requested);
  EXPECT_EQ(policy.limits.memory->bytes, kGibibyte);
  EXPECT_EQ(policy.limits.pids, 64);
  EXPECT_EQ(policy.env.at("A"), "b");
  EXPECT_FALSE(policy.network->enabled);
}

// proves partly: ORB-117
TEST(EffectivePolicy, LessMemoryLowersNoAddressSpaceAndMoreRaisesIt) {
  EXPECT_EQ(profile_policy("compute")->limits.address_space, std::nullopt);
  SandboxPolicy profile = *profile_policy("snippet");
  profile.limits.address_space = wire::Quantity{kGibibyte};
  SandboxPolicy requested;
  const auto effective = [&](int64_t memory) {
    requested.limits.memory = wire::Quantity{memory};
    return effective_policy(profile, requested).limits.address_space->bytes;
  };
  EXPECT_EQ(effective(kGibibyte / 2), kGibibyte);
  EXPECT_EQ(effective(kGibibyte * 2), kGibibyte * 2);
  requested.limits.address_space = wire::Quantity{kGibibyte / 4};
  EXPECT_EQ(effective(kGibibyte * 2), kGibibyte / 4);
}

// proves partly: VLT-58, VLT-59, VLT-60, VLT-61, VLT-62, VLT-63
TEST(SandboxPolicy, RefusesNegativeZeroMistypedAndUnknownLimits) {
  EXPECT_EQ(fault_of_policy("limits: {memory: 0}"), "limits.memory: invalid");
  EXPECT_EQ(fault_of_policy("limits: {memory: 4Ki}"), "limits.memory: invalid");
  EXPECT_EQ(fault_of_policy("limits: {memory: -1}"), "limits.memory: invalid");
  EXPECT_EQ(fault_of_policy("limits: {memory: true}"), "limits.memory: wrong type");
  EXPECT_EQ(fault_of_policy("limits: {stdout: 0}"), "limits.stdout: invalid");
  EXPECT_EQ(fault_of_policy("limits: {pids: 0}"), "limits.pids: invalid");
  EXPECT_EQ(fault_of_policy("limits: {pids: many}"), "limits.pids: wrong type");
  EXPECT_EQ(fault_of_policy("limits: {openFiles: 2}"), "limits.openFiles: invalid");
  EXPECT_EQ(fault_of_policy("limits: {memory: 1Mi, pids: 1, openFiles: 3}"), "accepted");
  EXPECT_EQ(fault_of_policy("limits: {mem: 1}"), "limits.mem: invalid");
  for (const char* limit :
       {"wallTime: 0s", "wallTime: -3s", "wallTime: 3", "cpuTime: 0s", "cpuTime: forever"}) {
    EXPECT_NE(fault_of_policy(cat("limits: {", limit, "}")), "accepted") << limit;
  }
}

// proves: WSM-96
TEST(SandboxPolicy, RefusesMountsThatAreNotPlainAbsolutePaths) {
  for (const char* path : {"a", "/", "", "/a/../b", "/a/./b", "//a", "/a/", "/a//b"}) {
    EXPECT_NE(fault_of_policy(cat("hostMounts: [{hostPath: \"", path, "\", sandboxPath: /b}]")),
              "accepted")
        << path;
    EXPECT_NE(fault_of_policy(cat("hostMounts: [{hostPath: /b, sandboxPath: \"", path, "\"}]")),
              "accepted")
        << path;
  }
  EXPECT_EQ(fault_of_policy("hostMounts: [{hostPath: /a/b, sandboxPath: /c, mode: rw}]"),
            "accepted");
  EXPECT_EQ(fault_of_policy("hostMounts: [{hostPath: /a, sandboxPath: /c, mode: rx}]"),
            "hostMounts[0].mode: not supported");
}

// proves partly: WSM-57, WSM-58, WSM-59, WSM-60, WSM-61, WSM-62, WSM-63
// proves: VLT-90
TEST(SandboxPolicy, RefusesAbsurdLimitsOfEveryKind) {
  const wire::Value limits = wire::schema<SandboxLimits>();
  for (const auto& [name, schema] : *limits.find("properties")->object()) {
    for (const char* absurd :
         {"-1", "0", ".nan", ".inf", "-.inf", "1.5", "1e400", "[]", "{}", "true", "''", "' 1'",
          "99999999999999999999", "9223372036854775807", "9007199254740993", "12Xi", "1 h", "1d"}) {
      const std::string fault = fault_of_policy(cat("limits: {", name, ": ", absurd, "}"));
      EXPECT_NE(fault, "accepted") << name << ": " << absurd;
    }
    EXPECT_EQ(fault_of_policy(cat("limits: {", name, ": []}")).substr(0, 8 + name.size()),
              cat("limits.", name, ":"));
  }
  EXPECT_EQ(fault_of_policy("limits: {wallTime: 10000h}"), "limits.wallTime: invalid");
  EXPECT_EQ(fault_of_policy("limits: {fsBytes: 2000Ti}"), "limits.fsBytes: invalid");
  EXPECT_EQ(fault_of_policy("limits: {wallTime: 720h, fsBytes: 1024Ti}"), "accepted");
}

// proves partly: WSM-24
TEST(SandboxPolicy, RefusesPlacesThatOverlap) {
  const auto two = [](const char* first, const char* second) {
    return fault_of_policy(cat("hostMounts: [{hostPath: /a, sandboxPath: ", first,
                               "}, {hostPath: /b, sandboxPath: ", second, "}]"));
  };
  EXPECT_EQ(two("/data", "/data"), "hostMounts[1].sandboxPath: invalid");
  EXPECT_EQ(two("/data", "/data/sub"), "hostMounts[1].sandboxPath: invalid");
  EXPECT_EQ(two("/data/sub", "/data"), "hostMounts[1].sandboxPath: invalid");
  EXPECT_EQ(two("/data", "/database"), "accepted");
  EXPECT_EQ(two("/data", "/workspace"), "hostMounts[1].sandboxPath: invalid");
  EXPECT_EQ(two("/data", "/workspace/data"), "accepted");
}

TEST(SandboxPolicy, RefusesEmptyAndRepeatedNames) {
  EXPECT_EQ(fault_of_policy("tools: [sh, '']"), "tools[1]: invalid");
  EXPECT_EQ(fault_of_policy("tools: [sh, env, sh]"), "tools[2]: invalid");
  EXPECT_EQ(fault_of_policy("devices: [/dev/a, /dev/a]"), "devices[1]: invalid");
  EXPECT_EQ(fault_of_policy("network: {enabled: true, allowDomains: [a.example, a.example]}"),
            "network.allowDomains[1]: invalid");
}

TEST(SandboxPolicy, RefusesKeysThatAreGivenTwiceInEitherFormat) {
  EXPECT_NE(fault_of_policy("env: {A: x, A: y}"), "accepted");
  EXPECT_NE(fault_of_policy("limits:\n  pids: 3\n  pids: 4\n"), "accepted");
  EXPECT_FALSE(wire::parse_json(R"({"env": {"A": "x", "A": "y"}})").ok());
}

// proves partly: ORB-64
TEST(SandboxPolicy, RefusesVariablesThatChangeHowProgramsAreLoaded) {
  for (const char* name :
       {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GLIBC_TUNABLES"}) {
    EXPECT_EQ(fault_of_policy(cat("env: {", name, ": x}")), cat("env.", name, ": invalid"));
  }
  EXPECT_NE(fault_of_policy("env: {PADDOCK_TOKEN: x}"), "accepted");
}

// proves partly: VLT-04
TEST(SandboxPolicy, TakesThePathsOfCoverageOnlyInside) {
  for (const char* good :
       {"PYTHONPATH: ''", "PYTHONPATH: /workspace", "PYTHONPATH: /workspace/src:/tmp/x",
        "COVERAGE_PROCESS_START: /workspace/.coveragerc"}) {
    EXPECT_EQ(fault_of_policy(cat("env: {", good, "}")), "accepted") << good;
  }
  for (const char* bad : {"PYTHONPATH: /root", "PYTHONPATH: '/workspace:'", "PYTHONPATH: src",
                          "PYTHONPATH: /workspace/../root", "COVERAGE_PROCESS_START: ''",
                          "COVERAGE_PROCESS_START: /etc/x"}) {
    EXPECT_NE(fault_of_policy(cat("env: {", bad, "}")), "accepted") << bad;
  }
  EXPECT_EQ(fault_of_policy(
                "hostMounts: [{hostPath: /a, sandboxPath: /lib2}]\nenv: {PYTHONPATH: /lib2/x}"),
            "accepted");
}

TEST(SandboxPolicy, RefusesVariablesThatAreNone) {
  EXPECT_EQ(fault_of_policy("env: {A_1: x}"), "accepted");
  for (const char* name : {"1A", "A-B", "A=B", "A B"}) {
    EXPECT_EQ(fault_of_policy(cat("env: {\"", name, "\": x}")), cat("env.", name, ": invalid"));
  }
  EXPECT_EQ(fault_of_policy("env: {\"\": x}"), "env: invalid");
  EXPECT_EQ(fault_of_policy("env: {A: \"x\\0y\"}"), "env.A: invalid");
}

TEST(SandboxPolicy, RefusesDomainsWithoutANetwork) {
  EXPECT_EQ(fault_of_policy("network: {enabled: false, allowDomains: [a.example]}"),
            "network.allowDomains: invalid");
  EXPECT_EQ(fault_of_policy("network: {enabled: true}"), "network.allowDomains: invalid");
}

}  // namespace
}  // namespace paddock::contracts
