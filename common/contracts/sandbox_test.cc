#include "common/contracts/sandbox.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/contracts/profile.h"
#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

Result<SandboxSpec> read(std::string_view text) {
  const auto document = wire::parse_json(text);
  if (!document) return document.error();
  return wire::decode<SandboxSpec>(*document);
}

SandboxPolicy policy_of(std::string_view text) {
  const SandboxSpec spec = with_session_defaults(*read(text));
  return session_policy(spec.security, builtin_profiles().at("session").policy);
}

// proves: WSM-91, WSM-99, WSM-100, WSM-101, WSM-102, WSM-103, WSM-104, WSM-105, WSM-106, WSM-107,
// WSM-108
TEST(Sandbox, SaysEverythingThatHoldsWhereNothingWasSaid) {
  const SecurityOptions security = with_session_defaults({}).security;
  EXPECT_FALSE(security.network.enabled);
  EXPECT_EQ(security.network.loopback, true);
  EXPECT_TRUE(security.host_mounts.empty());
  EXPECT_EQ(security.tool_allowlist, default_session_tools());
  EXPECT_EQ(security.limits.timeout_ms, 10'000);
  EXPECT_EQ(security.limits.memory_bytes, 256 << 20);
  EXPECT_EQ(security.limits.fs_bytes, 256 << 20);
  EXPECT_EQ(security.limits.stdout_bytes, 1 << 20);
  EXPECT_EQ(security.limits.stderr_bytes, 1 << 20);
  EXPECT_EQ(security.limits.command_bytes, 64 << 10);
  EXPECT_EQ(security.limits.rpc_bytes, 8 << 20);
}

// proves: WSM-91, WSM-29, WSM-30, WSM-31
TEST(Sandbox, BecomesAPolicyOfTheLauncher) {
  const SandboxPolicy policy = policy_of(R"({"security":{"toolAllowlist":["cat"],
      "limits":{"timeoutMs":250,"memoryBytes":8388608,"fsBytes":4096,"fileCount":3}}})");
  EXPECT_EQ(policy.limits.wall_time->value, Millis(250));
  EXPECT_GT(policy.limits.cpu_time->value, policy.limits.wall_time->value);
  EXPECT_EQ(policy.limits.memory->bytes, 8 << 20);
  EXPECT_EQ(policy.limits.fs_bytes->bytes, 4096);
  EXPECT_EQ(policy.limits.file_count, 3);
  EXPECT_EQ(policy.tools, (std::vector<std::string>{"cat", "sh"}));
  EXPECT_FALSE(policy.allow_partial);
  ASSERT_TRUE(policy.network);
  EXPECT_FALSE(policy.network->enabled);
  EXPECT_EQ(policy.network->loopback, true);
  EXPECT_EQ(policy_of(R"({"security":{"network":{"loopback":false}}})").network->loopback, false);
}

// A session that was stored before the field existed says nothing about it.
TEST(Sandbox, HasTheProfilesLoopbackWhereItsObjectSaysNothing) {
  SandboxPolicy profile = builtin_profiles().at("session").policy;
  EXPECT_EQ(session_policy({}, profile).network->loopback, true);
  profile.network->loopback = false;
  EXPECT_EQ(session_policy({}, profile).network->loopback, false);
}

TEST(Sandbox, TheDefaultToolsAreSortedAndHaveTheShell) {
  const auto& tools = default_session_tools();
  EXPECT_TRUE(std::ranges::is_sorted(tools));
  EXPECT_EQ(std::ranges::adjacent_find(tools), tools.end());
  EXPECT_EQ(session_programs(tools), tools);
  EXPECT_EQ(session_programs({}), std::vector<std::string>{"sh"});
}

TEST(Sandbox, NamesTheFieldThatIsWrong) {
  for (const auto& [text, field] :
       {std::pair{R"({"security":{"limits":{"timeoutMs":0}}})", "security.limits.timeoutMs"},
        std::pair{R"({"security":{"toolAllowlist":["a","a"]}})", "security.toolAllowlist[1]"},
        std::pair{R"({"security":{"hostMounts":[{"hostPath":"x","sandboxPath":"/y"}]}})",
                  "security.hostMounts[0].hostPath"},
        std::pair{R"({"security":{"network":{"enabled":true}}})", "security.network.allowDomains"},
        std::pair{R"({"idleTimeout":"1ms"})", "idleTimeout"},
        std::pair{R"({"security":{"more":1}})", "security.more"}}) {
    const auto spec = read(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_EQ(spec.error().causes[0].field, field) << text;
  }
}

SandboxResult ended(SandboxStatus status, int64_t rc = 0) {
  SandboxResult result;
  result.status = status;
  result.rc = rc;
  result.reason = "why";
  apply_status_table(result);
  return result;
}

// proves: WSM-65, WSM-68, WSM-69, WSM-70, WSM-74
TEST(Sandbox, ShowsHowACommandEnded) {
  EXPECT_EQ(run_result(ended(SandboxStatus::kFailed, 3), "c").error_class, std::nullopt);
  EXPECT_EQ(run_result(ended(SandboxStatus::kFailed, 3), "c").exit_code, 3);
  EXPECT_EQ(run_result(ended(SandboxStatus::kOk), "c").reason, "");
  EXPECT_EQ(run_result(ended(SandboxStatus::kOk), "c").truncated.has_value(), false);
  const RunResult timeout = run_result(ended(SandboxStatus::kTimeout), "c");
  EXPECT_EQ(timeout.exit_code, 124);
  EXPECT_EQ(timeout.error_class, "TIMEOUT");
  EXPECT_EQ(timeout.err, "command timeout\n");
  EXPECT_EQ(run_result(ended(SandboxStatus::kCanceled), "c").error_class, "CANCELLED");
  EXPECT_EQ(run_result(ended(SandboxStatus::kMemLimit), "c").code, "E_LIMIT_MEMORY");
  SandboxResult denied = ended(SandboxStatus::kOk);
  denied.denials.push_back({});
  EXPECT_EQ(run_result(denied, "c").code, "E_CAPABILITY_DENIED");
  SandboxResult late = ended(SandboxStatus::kTimeout);
  late.denials.push_back({});
  EXPECT_EQ(run_result(late, "c").error_class, "TIMEOUT");
}

// proves: WSM-35
TEST(Sandbox, ACommandThatIsTooLongHasNotRun) {
  const RunResult result = too_large_command("c", 10);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.execution_time_ms, 0);
  EXPECT_EQ(result.code, "E_LIMIT_COMMAND");
}

}  // namespace
}  // namespace paddock::contracts
