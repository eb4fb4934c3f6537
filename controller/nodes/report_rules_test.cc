#include "controller/nodes/report_rules.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/base/code_word.h"

namespace paddock::nodes {
namespace {

using contracts::RunOutcome;
using contracts::RunPhase;

const std::string kDigest(64, 'a');

RunOutcome succeeded(std::vector<contracts::Artifact> artifacts) {
  RunOutcome out;
  out.phase = RunPhase::kSucceeded;
  out.artifacts = std::move(artifacts);
  return out;
}

size_t judged(RunOutcome& outcome, bool known) {
  return drop_unproven(outcome, [&](const auto&) -> Result<bool> { return known; }).value();
}

TEST(ReportRules, ACodeIsAWord) {
  for (const char* good : {"SandboxError", "E_LIMIT_FS", "NODE_LOST", "x"})
    EXPECT_EQ(code_or_invalid(good), good);
  EXPECT_EQ(code_or_invalid(""), "");
  for (const std::string bad :
       {"EVIL\r\nSet-Cookie: a=b", "a b", "1A", "_A", "<b>", "caf\xc3\xa9", "A-B", "A\x1b[31m"})
    EXPECT_EQ(code_or_invalid(bad), "NODE_CODE_INVALID") << bad;
  EXPECT_EQ(code_or_invalid(std::string(65, 'A')), "NODE_CODE_INVALID");
}

TEST(ReportRules, CodesOfAnOutcomeAndItsResultAreTidied) {
  RunOutcome outcome = succeeded({});
  outcome.reason = "a\nb";
  outcome.result.emplace().code = "E_LIMIT_FS\x07";
  outcome.result->error_class = "LIMIT_EXCEEDED";
  outcome.result->enforced["cpus"].reason = "\x1b[31m";
  outcome.result->enforced["memory"].reason = "PER_PROCESS";
  outcome.result->usage.network = {{.name = "a.example", .reason = "no such name"}};
  outcome.result->not_started = {.reason = "TOOL\nUNAVAILABLE", .field = "tools[0]", .message = ""};
  outcome.left_out = {{"a", "a rule", "HARD_LINKED"}, {"b", "a rule", "a rule"}, {"c", "old", ""}};
  tidy_codes(outcome);
  EXPECT_EQ(outcome.result->enforced["cpus"].reason, "NODE_CODE_INVALID");
  EXPECT_EQ(outcome.result->enforced["memory"].reason, "PER_PROCESS");
  EXPECT_EQ(outcome.result->usage.network[0].reason, "NODE_CODE_INVALID");
  EXPECT_EQ(outcome.result->not_started->reason, "NODE_CODE_INVALID");
  EXPECT_EQ(outcome.left_out[0].reason, "HARD_LINKED");
  EXPECT_EQ(outcome.left_out[1].reason, "NODE_CODE_INVALID");
  EXPECT_EQ(outcome.left_out[2].reason, "") << "an older node's";
  EXPECT_EQ(outcome.reason, "NODE_CODE_INVALID");
  EXPECT_EQ(*outcome.result->code, "NODE_CODE_INVALID");
  EXPECT_EQ(*outcome.result->error_class, "LIMIT_EXCEEDED");
}

TEST(ReportRules, OnlyPhasesThatAreKnownHaveTimes) {
  contracts::RunReport report;
  report.timings_ms = {{"workspace", 1},        {"volumes", 2}, {"environment", 3},
                       {"environmentBuild", 4}, {"run", 5},     {"artifacts", 6}};
  const auto all = report.timings_ms;
  report.timings_ms["queue"] = 7;  // which the controller measures
  report.timings_ms["\x1b[31m"] = 8;
  bound_report(report);
  EXPECT_EQ(report.timings_ms, all);
}

// More than any agent sends: what a node's call may carry is far more than an object should be.
TEST(ReportRules, ANodesTextsAndListsAreCut) {
  const std::string large(1 << 20, 'x');
  contracts::RunReport report;
  report.message = large;
  RunOutcome& outcome = report.outcome.emplace();
  outcome.message = large;
  outcome.left_out.assign(20'000, {"a", large.substr(0, 9'000), "HARD_LINKED"});
  auto& result = outcome.result.emplace();
  result.out = result.err = result.reason = large;
  result.denials.assign(2'000, {.what = large.substr(0, 9'000)});
  result.usage.network.assign(2'000, {.name = large.substr(0, 9'000)});
  for (int i = 0; i < 1'000; ++i) result.enforced[cat("c", i)].details = large.substr(0, 9'000);
  const std::string beyond_any_run(3 << 20, 'x');
  result.cmd = {"python3", "-c", beyond_any_run};
  result.policy.emplace().env["A"] = beyond_any_run;
  result.enforced[large] = {};
  result.enforced["a"].requested = large;
  bound_report(report);
  EXPECT_EQ(report.message.size(), 65'536U);
  EXPECT_EQ(outcome.message.size(), 65'536U);
  EXPECT_EQ(result.reason.size(), 65'536U);
  EXPECT_EQ(result.out.size(), 262'144U);
  EXPECT_EQ(result.err.size(), 262'144U);
  EXPECT_EQ(result.denials.size(), 1'024U);
  EXPECT_EQ(result.denials[0].what.size(), 8'192U);
  EXPECT_EQ(result.usage.network.size(), 512U);
  EXPECT_EQ(result.usage.network[0].name.size(), 8'192U);
  EXPECT_EQ(result.enforced.size(), 128U);
  EXPECT_TRUE(result.enforced.contains("a"));
  EXPECT_TRUE(result.enforced["a"].requested.is_null());
  EXPECT_EQ(result.enforced["c0"].details.size(), 8'192U);
  EXPECT_EQ(join(result.cmd, " ").substr(0, 12), "python3 -c x");
  EXPECT_EQ(result.cmd.back(), "…");
  EXPECT_LT(result.cmd[2].size(), 2'097'152U);
  EXPECT_FALSE(result.policy);
  ASSERT_EQ(outcome.left_out.size(), 12'001U);
  EXPECT_EQ(outcome.left_out.back().rule, "and 8000 more that are not listed");
}

TEST(ReportRules, WhatAnAgentSendsAtMostIsLeftAsItIs) {
  contracts::RunReport report;
  RunOutcome& outcome = report.outcome.emplace(succeeded({}));
  outcome.message = "the command ended with exit code 0";
  outcome.artifacts.assign(10'000, {"out/a.txt", 3, kDigest, false});
  outcome.left_out.assign(11'001, {"a", "a rule", "HARD_LINKED"});
  auto& result = outcome.result.emplace();
  result.out = std::string(3 * 65'536, 'x');
  result.denials.assign(3 * 288, {.what = "open", .target = std::string(6'000, 'x')});
  result.enforced["tools"].requested = wire::Value::Array(1'000, wire::Value("/usr/bin/python3"));
  result.cmd.assign(6'000, "a/file/of/the/project.txt");
  result.policy.emplace().tools.assign(256, "/usr/bin/python3");
  const auto before = wire::encode(report);
  bound_report(report);
  EXPECT_EQ(wire::encode(report), before);
}

contracts::NodeStatus status_of(size_t devices, size_t others, const std::string& text) {
  contracts::NodeStatus out;
  out.conditions.assign(2, {"DiskPressure", "True", "NODE_DISK_FULL", text, {}});
  out.devices.assign(devices, {.kind = "nvidia", .id = text, .model = text, .fault = text});
  out.capabilities.assign(others, {"memory", true, "cgroup", text, "PER_PROCESS"});
  out.canaries.assign(
      others, {.name = "a", .capability = "memory", .attempt = text, .got = text, .remedy = text});
  out.ceilings.emplace().host_mounts.assign(64, text);
  return out;
}

// All who watch nodes are told of each change of it.
TEST(ReportRules, WhatANodeSaysOfItselfIsBounded) {
  const auto bytes = [](const contracts::SyncRequest& request) {
    return wire::to_json(wire::encode(request)).size();
  };
  contracts::SyncRequest request;
  request.status = status_of(10'000, 256, std::string(300, 'x'));
  request.status->conditions.resize(1'000);
  request.labels = {{"rack", "a"}, {"large", std::string(5'000, 'x')}};
  bound_node(request);
  EXPECT_EQ(request.status->devices.size(), 512U);
  EXPECT_EQ(request.status->conditions.size(), 16U);
  EXPECT_EQ(request.status->capabilities.size(), 128U);
  EXPECT_EQ(request.labels, (std::map<std::string, std::string>{{"rack", "a"}}));
  EXPECT_LT(bytes(request), size_t{300} << 10);
  request.status = status_of(1, 1, std::string(5'000, 'x'));
  bound_node(request);
  EXPECT_EQ(request.status->devices[0].id.size(), 4'096U);
  EXPECT_TRUE(request.status->ceilings->host_mounts.empty()) << "a part of a path allows more";
  EXPECT_LT(bytes(request), size_t{300} << 10);
}

TEST(ReportRules, WhatALargeNodeSaysOfItselfIsLeftAsItIs) {
  contracts::SyncRequest request;
  request.status = status_of(16 + 16 * 7, 80, "a sentence that says why it is not so, and what");
  request.status->capabilities[0].details = std::string(4'000, 'x');
  request.labels = {{"example.com/" + std::string(63, 'k'), std::string(63, 'v')}};
  const auto before = wire::encode(request);
  bound_node(request);
  EXPECT_EQ(wire::encode(request), before);
}

TEST(ReportRules, NoRunHasMoreArtifactsThanAnAgentSends) {
  contracts::RunReport report;
  report.outcome = succeeded({});
  report.outcome->artifacts.assign(10'001, {"out/a.txt", 3, kDigest, false});
  bound_report(report);
  EXPECT_EQ(report.outcome->artifacts.size(), 10'000U);
  EXPECT_EQ(report.outcome->phase, RunPhase::kFailed);
  EXPECT_EQ(report.outcome->reason, "ARTIFACT_NOT_SENT");
}

TEST(ReportRules, WhatWasSentStays) {
  RunOutcome outcome = succeeded({{"out/a.txt", 3, kDigest, false}});
  EXPECT_EQ(judged(outcome, true), 0U);
  EXPECT_EQ(outcome.phase, RunPhase::kSucceeded);
  EXPECT_EQ(outcome.artifacts.size(), 1U);
}

TEST(ReportRules, WhatWasNotSentIsNoArtifactAndTheRunNoSuccess) {
  RunOutcome outcome = succeeded({{"out/stolen.txt", 3, kDigest, false}});
  EXPECT_EQ(judged(outcome, false), 1U);
  EXPECT_EQ(outcome.phase, RunPhase::kFailed);
  EXPECT_EQ(outcome.reason, "ARTIFACT_NOT_SENT");
  EXPECT_TRUE(outcome.artifacts.empty());
  ASSERT_EQ(outcome.left_out.size(), 1U);
  EXPECT_EQ(outcome.left_out[0].path, "out/stolen.txt");
  EXPECT_EQ(outcome.left_out[0].reason, "ARTIFACT_NOT_SENT");
}

TEST(ReportRules, ARunThatFailedKeepsItsReason) {
  RunOutcome outcome = succeeded({{"out/stolen.txt", 3, kDigest, false}});
  outcome.phase = RunPhase::kFailed;
  outcome.reason = "NonZeroExit";
  EXPECT_EQ(judged(outcome, false), 1U);
  EXPECT_EQ(outcome.reason, "NonZeroExit");
}

TEST(ReportRules, PathsThatNoTreeCouldHoldAreNoArtifactsWhoeverSentThem) {
  for (const std::string path :
       {"../../x", "/etc/passwd", "a//b", "a/./b", "", "a\nb\x1b[31m.txt"}) {
    RunOutcome outcome = succeeded({{path, 3, kDigest, false}});
    EXPECT_EQ(judged(outcome, true), 1U) << path;
    EXPECT_TRUE(outcome.artifacts.empty());
    ASSERT_EQ(outcome.left_out.size(), 1U);
    EXPECT_EQ(outcome.left_out[0].reason, "PATH_INVALID");
    EXPECT_EQ(outcome.left_out[0].path.find_first_of("\n\x1b"), std::string::npos);
  }
}

TEST(ReportRules, NamesThatWereLeftOutAreHarmlessAndNotWithoutEnd) {
  RunOutcome outcome = succeeded({});
  outcome.left_out = {{"a\rb\x1b]0;x", "no regular file"}, {std::string(10'000, 'n'), "too long"}};
  EXPECT_EQ(judged(outcome, true), 0U);
  EXPECT_EQ(outcome.left_out[0].path, "a?b?]0;x");
  EXPECT_EQ(outcome.left_out[1].path.size(), 4096U);
}

TEST(ReportRules, ACallHasSoMuchOutputAndNoMore) {
  const auto call_with = [](size_t bytes) {
    contracts::SyncRequest request;
    request.runs.resize(2);
    for (auto& report : request.runs)
      report.output.push_back({1, 0, "stdout", base64(std::string(bytes / 2, 'x'))});
    return request;
  };
  EXPECT_TRUE(check_output_size(call_with(size_t{512} << 10)).ok());
  const Status refused = check_output_size(call_with(size_t{1} << 20));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "OUTPUT_TOO_LARGE");
  EXPECT_EQ(refused.error().code, Code::kTooLarge);  // the agent sends less at once then
}

}  // namespace
}  // namespace paddock::nodes
