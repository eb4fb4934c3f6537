#include "controller/runs/audit_events.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::runs {
namespace {

using contracts::AuditEvent;
using contracts::SandboxStatus;
using Types = std::vector<std::string>;

constexpr WallTime kNow{1'750'000'000'000};

contracts::Run placed_run() {
  contracts::Run run;
  run.metadata.name = "r";
  run.metadata.name_space = "default";
  run.metadata.uid = "u";
  run.spec.command.argv = {"python3", "job.py"};
  admit(run, kNow);
  static_cast<void>(bind(run, "n1", kNow).value());
  return run;
}

std::vector<AuditEvent> started(contracts::Run& run) {
  contracts::RunReport report;
  report.attempt = 1;
  report.phase = contracts::RunPhase::kRunning;
  report.started_at = wire::Timestamp{kNow};
  const Events events = observe(run, report, kNow).value();
  return audit_events(run, events);
}

contracts::SandboxResult result_of(SandboxStatus status) {
  contracts::SandboxResult result;
  result.status = status;
  contracts::apply_status_table(result);
  return result;
}

std::vector<AuditEvent> ended(contracts::Run& run, contracts::RunPhase phase,
                              std::optional<contracts::SandboxResult> result) {
  contracts::RunOutcome outcome;
  outcome.phase = phase;
  outcome.result = std::move(result);
  const Events events = finish(run, 1, outcome, kNow).value();
  return audit_events(run, events);
}

Types types(const std::vector<AuditEvent>& events) {
  Types out;
  for (const AuditEvent& event : events) out.push_back(event.type);
  return out;
}

// proves: WSM-45, WSM-51
TEST(AuditEvents, TellStartAndEndOfACommandWithItsKeys) {
  contracts::Run run = placed_run();
  const auto start = started(run);
  ASSERT_EQ(types(start), Types{"command.start"});
  EXPECT_EQ(start[0].session_id, "u");
  EXPECT_EQ(start[0].command_id, "u/1");
  EXPECT_EQ(start[0].subject, "node:n1");
  EXPECT_EQ(start[0].object, "runs/r");
  EXPECT_EQ(start[0].details.at("command"), "python3 job.py");
  const auto end = ended(run, contracts::RunPhase::kSucceeded, result_of(SandboxStatus::kOk));
  ASSERT_EQ(types(end), Types{"command.complete"});
  EXPECT_EQ(end[0].command_id, "u/1");
  EXPECT_EQ(end[0].reason, "OK");
  EXPECT_EQ(end[0].details.at("rc"), "0");
}

TEST(AuditEvents, TellOfOneStartAlsoWhenItIsAskedToEnd) {
  contracts::Run run = placed_run();
  EXPECT_EQ(types(started(run)), Types{"command.start"});
  EXPECT_EQ(types(audit_events(run, request_cancel(run, kNow))), Types{});
  contracts::Run evicted = placed_run();
  EXPECT_EQ(types(started(evicted)), Types{"command.start"});
  EXPECT_EQ(types(audit_events(evicted, evict(evicted, {"DRAINED", "the node is emptied"}, kNow))),
            Types{});
}

// proves: WSM-46
TEST(AuditEvents, NameTimeoutAndCancelAsSuch) {
  using Row = std::tuple<SandboxStatus, contracts::RunPhase, std::string>;
  for (const auto& [status, phase, type] :
       {Row{SandboxStatus::kTimeout, contracts::RunPhase::kFailed, "command.timeout"},
        Row{SandboxStatus::kCanceled, contracts::RunPhase::kCanceled, "command.cancelled"},
        Row{SandboxStatus::kKilledKill, contracts::RunPhase::kFailed, "command.complete"}}) {
    contracts::Run run = placed_run();
    started(run);
    EXPECT_EQ(types(ended(run, phase, result_of(status))), Types{type});
  }
}

// proves: WSM-47, WSM-48
TEST(AuditEvents, TellWhatWasDeniedAndWhichLimitsWereMetBeforeTheEnd) {
  contracts::Run run = placed_run();
  started(run);
  run.status.policy.emplace().limits.stdout_bytes = wire::Quantity{1000};
  run.status.policy->limits.stderr_bytes = wire::Quantity{1000};
  contracts::SandboxResult result = result_of(SandboxStatus::kMemLimit);
  result.usage.stdout_bytes = 1001;
  result.usage.stderr_bytes = 1000;
  result.truncated = {true, true};  // of the excerpts in the result
  result.denials.push_back({"connect", "10.0.0.1:80", "/usr/bin/curl", "network", "allow it", 3});
  const auto events = ended(run, contracts::RunPhase::kFailed, result);
  ASSERT_EQ(types(events),
            (Types{"capability.denied", "limit.exceeded", "limit.exceeded", "command.complete"}));
  EXPECT_EQ(events[0].reason, "E_CAPABILITY_DENIED");
  EXPECT_EQ(events[0].details.at("target"), "10.0.0.1:80");
  EXPECT_EQ(events[0].details.at("count"), "3");
  EXPECT_EQ(events[1].reason, "E_LIMIT_MEMORY");
  EXPECT_EQ(events[1].details.at("limit"), "memory");
  EXPECT_EQ(events[2].details.at("limit"), "stdout");
}

TEST(AuditEvents, CountDenialsBeyondThoseThatAreTold) {
  contracts::Run run = placed_run();
  started(run);
  contracts::SandboxResult result = result_of(SandboxStatus::kOk);
  result.denials.assign(100, {"connect", "10.0.0.1:80", "/usr/bin/curl", "network", "", 1});
  const auto events = ended(run, contracts::RunPhase::kSucceeded, result);
  ASSERT_EQ(events.size(), 34U);
  EXPECT_EQ(events[32].reason, "MORE_DENIALS");
  EXPECT_EQ(events[32].details.at("count"), "68");
}

TEST(AuditEvents, TellACommandThatNeverStartedFromOneThatNobodyWillReport) {
  contracts::Run refused = placed_run();
  EXPECT_EQ(types(ended(refused, contracts::RunPhase::kFailed, std::nullopt)),
            Types{"command.refused"});
  contracts::Run lost = placed_run();
  started(lost);
  const Events events = lose_node(lost, "no word", kNow);
  EXPECT_EQ(types(audit_events(lost, events)), Types{"command.lost"});
}

// proves: WSM-52
TEST(AuditEvents, KeepWhatACommandSaysInOneField) {
  contracts::Run run = placed_run();
  run.spec.command.argv = {"bash", "x\n{\"type\":\"command.complete\",\"id\":1}\n", "\xff"};
  const auto start = started(run);
  ASSERT_EQ(start.size(), 1U);
  const std::string line = wire::encode_json(start[0]);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto again = wire::decode<AuditEvent>(wire::parse_json(line).value());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->type, "command.start");
  EXPECT_NE(again->details.at("command").find("command.complete"), std::string::npos);
}

TEST(AuditText, IsCutWithoutBreakingACharacter) {
  std::string text(contracts::kAuditText - 4, 'a');
  text += "ééé";
  const std::string cut = contracts::audit_text(text);
  EXPECT_LE(cut.size(), contracts::kAuditText);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_TRUE(is_utf8(cut));
  EXPECT_EQ(contracts::audit_text("short"), "short");
}

}  // namespace
}  // namespace paddock::runs
