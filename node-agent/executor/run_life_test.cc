// One run from its assignment to its outcome.
#include "node-agent/executor/run_life.h"

#include <thread>

#include "common/contracts/disk_end.h"
#include "common/wire/json.h"
#include "node-agent/executor/outcome.h"
#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;
using testing::ElementsAre;

TEST_F(Life, ARunGoesFromItsAssignmentToItsOutcomeWithOutputAndArtifacts) {
  behave("ok");
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kSucceeded);
  EXPECT_EQ(outcome.reason, "Completed");
  ASSERT_EQ(outcome.artifacts.size(), 1u);
  EXPECT_EQ(outcome.artifacts[0].path, "out/result.json");
  EXPECT_THAT(uploads, ElementsAre("out/result.json"));
  EXPECT_EQ(output_of(*life, "stdout"), "hello\n");
  EXPECT_EQ(output_of(*life, "stderr"), "bye\n");
  EXPECT_EQ(output_of(*life, "system"),
            "workspace: 1 file, 12 B (1 blob fetched)\nenvironment: none asked for\n"
            "artifacts: 1 file, 2 B\n");
  recorder.state.with([](Recorder::State& s) {
    std::vector<RunPhase> phases;
    for (const auto& each : s.reports) {
      if (phases.empty() || phases.back() != each.phase) phases.push_back(each.phase);
    }
    EXPECT_THAT(phases, ElementsAre(RunPhase::kPreparing, RunPhase::kRunning));
    for (const char* key : {"workspace", "environment", "run", "artifacts"}) {
      EXPECT_TRUE(s.reports.back().timings_ms.contains(key)) << key;
    }
    EXPECT_TRUE(s.reports.back().started_at.has_value());
  });
}

// proves partly: ELV-11, ELV-71
TEST_F(Life, CodeGetsItsFilesTheOperatorsPythonAndNothingOfAProject) {
  assignment.spec = {};
  assignment.spec.type = contracts::RunType::kCode;
  assignment.spec.code = "print(input_data)";
  assignment.spec.input_data = wire::Value::Object{{"a", 1}};
  assignment.workspace_root.clear();
  assignment.spec.resources = contracts::Resources{.cpu = 3};
  config.library_dir = "/opt/sandbox";
  run();
  const auto text = os::read_file(folder().file("request.json"));
  ASSERT_TRUE(text.ok());
  const auto request = *wire::decode<contracts::LaunchRequest>(*wire::parse_json(*text));
  EXPECT_EQ(request.workdir, "/tmp");
  EXPECT_EQ(request.scratch_files.at("/tmp/code.py"), "print(input_data)");
  ASSERT_EQ(request.mounts.size(), 1u);
  EXPECT_EQ(request.mounts[0].sandbox_path, "/opt/sandbox");
  EXPECT_EQ(request.mounts[0].mode, contracts::MountMode::kReadOnly);
  EXPECT_FALSE(os::exists(folder().workspace()));
  EXPECT_TRUE(request.input_file.empty());
  EXPECT_EQ(request.cpus, 3);
}

TEST_F(Life, AnAllotmentOfProcessorsIsToldToLibrariesUnlessTheEnvironmentIsExact) {
  assignment.spec.resources = contracts::Resources{.cpu = 2};
  assignment.policy.env["OMP_NUM_THREADS"] = "7";
  const auto request_of = [&](const char* profile) {
    assignment.spec.profile = profile;
    behave("ok");
    run();
    const auto text = os::read_file(folder().file("request.json"));
    EXPECT_TRUE(text.ok());
    EXPECT_TRUE(life->erase().ok());
    return *wire::decode<contracts::LaunchRequest>(*wire::parse_json(*text));
  };
  const auto command = request_of("command");
  EXPECT_EQ(command.processors, (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(command.env.at("OMP_NUM_THREADS"), "7");  // the caller's own
  EXPECT_EQ(command.env.at("MKL_NUM_THREADS"), "2");
  EXPECT_FALSE(request_of("compute").env.contains("MKL_NUM_THREADS"));
  EXPECT_EQ(processors.take(1).processors(), (std::vector<int64_t>{4}));  // given back
}

TEST_F(Life, AFileOfTheWorkspaceIsTheStandardInput) {
  behave("ok");
  assignment.spec.stdin_file = "data/in.txt";
  run();
  const auto text = os::read_file(folder().file("request.json"));
  ASSERT_TRUE(text.ok());
  const auto request = *wire::decode<contracts::LaunchRequest>(*wire::parse_json(*text));
  EXPECT_EQ(request.stdin_file, "/workspace/data/in.txt");
}

TEST_F(Life, SecretsGoToTheLauncherAndIntoNoRecordOfTheRun) {
  behave("ok");
  assignment.spec.secrets = {{"db", "password", ""}, {"api", "", "TOKEN"}};
  run();
  const auto text = os::read_file(folder().file("request.json"));  // by the tests' launcher alone
  ASSERT_TRUE(text.ok());
  const auto request = *wire::decode<contracts::LaunchRequest>(*wire::parse_json(*text));
  ASSERT_EQ(request.secrets.size(), 2U);
  EXPECT_EQ(request.secrets[0].file, "/run/secrets/db/password");
  EXPECT_EQ(request.secrets[0].value, "aHVudGVyMg==");
  EXPECT_EQ(request.secrets[1].file, "");
  EXPECT_EQ(request.env.at("TOKEN"), "tiger");
  ASSERT_TRUE(os::remove_tree(folder().file("request.json")).ok());
  const auto names = os::list_dir(folder().path());
  ASSERT_TRUE(names.ok());
  for (const std::string& name : *names) {
    const auto content = os::read_file(folder().file(name));
    if (!content.ok()) continue;  // a folder
    for (const char* value : {"hunter2", "aHVudGVyMg==", "tiger", "dGlnZXI="})
      EXPECT_EQ(content->find(value), std::string::npos) << name;
  }
}

TEST_F(Life, AFailingCommandKeepsItsExitCodeAndItsArtifacts) {
  behave("fail");
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kFailed);
  EXPECT_EQ(outcome.reason, "NonZeroExit");
  EXPECT_EQ(outcome.result->rc, 3);
  EXPECT_EQ(outcome.artifacts.size(), 1u);
}

TEST_F(Life, ALauncherThatDiesWithoutAResultIsToldAsLost) {
  for (const char* verb : {"die", "torn"}) {
    behave(verb);
    const contracts::RunOutcome outcome = run();
    EXPECT_EQ(outcome.reason, "LAUNCHER_LOST") << verb;
    EXPECT_FALSE(outcome.result.has_value());
    EXPECT_EQ(output_of(*life, "stdout"), "hello\n") << verb;
    ASSERT_TRUE(life->erase().ok());
  }
}

TEST_F(Life, ALauncherThatDiesBeforeTheCommandIsToldAsLostToo) {
  behave("die-early");
  EXPECT_EQ(run().reason, "LAUNCHER_LOST");
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, AMissingLauncherIsTheNodesFault) {
  config.sandbox_program = base + "/none";
  behave("ok");
  EXPECT_EQ(run().reason, "SANDBOX_UNAVAILABLE");
}

TEST_F(Life, ACancelBeforeTheStartRunsNothing) {
  behave("ok");
  assignment.desired = contracts::DesiredState::kCancel;
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kCanceled);
  EXPECT_EQ(starts(), 0u);
  EXPECT_FALSE(os::exists(folder().workspace()));
}

TEST_F(Life, ACancelWhileItRunsEndsTheCommand) {
  stop_while_running(StopKind::kCancel);
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
  EXPECT_EQ(last_outcome().result->status, contracts::SandboxStatus::kCanceled);
}

TEST_F(Life, ACommandWhoseLauncherKeepsNoTimeIsEndedByItsNode) {
  behave("wait");
  hasty = std::make_unique<HastyClock>();
  hasty->step_ms = 0;
  assignment.policy.limits.wall_time = wire::Duration{Millis(1'000)};
  auto running = start_running();
  hasty->step_ms = 4'000;
  while (running.wait_for(Millis(1)) != std::future_status::ready)
    life->give_input({});  // makes it look again, and so time pass
  EXPECT_EQ(last_outcome().phase, RunPhase::kFailed);
  EXPECT_EQ(last_outcome().reason, "Timeout");
  EXPECT_TRUE(last_outcome().message.ends_with("; spec.timeout was 1s and may be raised"))
      << last_outcome().message;
  EXPECT_FALSE(last_outcome().result);
  EXPECT_FALSE(os::LockFile::held(folder().file("events")));
}

TEST_F(Life, ALauncherThatNeverBeginsACommandIsLost) {
  behave("hang");
  hasty = std::make_unique<HastyClock>();
  life = accept();
  auto running = std::async(std::launch::async, [this] { life->run(); });
  while (running.wait_for(Millis(1)) != std::future_status::ready) life->give_input({});
  EXPECT_EQ(last_outcome().reason, "LAUNCHER_LOST");
  EXPECT_FALSE(last_outcome().result);
  EXPECT_FALSE(os::LockFile::held(folder().file("events")));
}

TEST_F(Life, ALauncherThatWasStoppedHearsOfItsCancelAllTheSame) {
  behave("wait");
  auto running = start_running();
  ASSERT_EQ(::kill(life->launcher(), SIGSTOP), 0);
  life->stop(StopKind::kCancel);
  running.wait();
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
  EXPECT_TRUE(last_outcome().result.has_value());
}

TEST_F(Life, ACanceledRunIsCanceledThoughItsLauncherDied) {
  behave("linger");
  assignment.spec.termination_grace = wire::Wait{std::chrono::hours(1)};
  auto running = start_running();
  life->stop(StopKind::kCancel);
  while (output_of(*life, "stdout").find("told to end") == std::string::npos)
    std::this_thread::yield();
  ASSERT_EQ(::kill(life->launcher(), SIGKILL), 0);
  running.wait();
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
  EXPECT_FALSE(last_outcome().result);
}

TEST_F(Life, ACommandThatIsEndedForTheDiskHasFailedByThatName) {
  behave("linger");
  assignment.spec.termination_grace = wire::Wait{std::chrono::hours(1)};
  auto running = start_running();
  EXPECT_FALSE(life->ending());
  life->end_for_disk("it wrote too much");
  EXPECT_TRUE(life->ending());
  running.wait();
  EXPECT_EQ(last_outcome().phase, RunPhase::kFailed);
  EXPECT_EQ(last_outcome().reason, contracts::kDiskRequestExceeded);
  EXPECT_EQ(last_outcome().message, "it wrote too much");
  EXPECT_TRUE(last_outcome().result.has_value());
}

TEST_F(Life, ACommandInItsGraceIsKilledWhenThatIsWishedAndWhatItSavedComesBack) {
  behave("linger");
  assignment.spec.termination_grace = wire::Wait{std::chrono::hours(1)};
  auto running = start_running();
  life->stop(StopKind::kCancel);
  while (output_of(*life, "stdout").find("told to end") == std::string::npos)
    std::this_thread::yield();
  EXPECT_TRUE(os::LockFile::held(folder().file("events")));
  life->stop(StopKind::kKill);
  running.wait();
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
}

TEST_F(Life, TheGraceOfARunIsItsLaunchers) {
  assignment.spec.termination_grace = wire::Wait{Millis(70'000)};
  behave("ok");
  run();
  const auto request = os::read_file(folder().file("request.json"));
  ASSERT_TRUE(request.ok());
  EXPECT_NE(request->find("\"cancelGraceMs\":70000"), std::string::npos);
  EXPECT_NE(request->find("\"limitGraceMs\":70000"), std::string::npos);
}

TEST_F(Life, ANodeRefusesALongerGraceThanItsOperatorAllows) {
  config.bounds.ceilings.emplace().termination_grace = wire::Wait{Millis(5'000)};
  assignment.spec.termination_grace = wire::Wait{Millis(5'001)};
  behave("ok");
  EXPECT_EQ(run().reason, "GRACE_OVER_CEILING");
}

TEST_F(Life, AForgottenRunIsEndedAndLeavesNothing) {
  stop_while_running(StopKind::kForget);
  EXPECT_FALSE(os::LockFile::held(folder().file("events")));
  ASSERT_TRUE(life->erase().ok());
  EXPECT_FALSE(os::exists(folder().path()));
}

TEST_F(Life, AnUnreadableTreeFailsTheRun) {
  behave("ok");
  assignment.workspace_root = std::string(64, 'a');
  EXPECT_EQ(run().reason, "TREE_MISMATCH");
}

TEST_F(Life, AnOddUidMakesNoFolder) {
  assignment.run_uid = "../../etc";
  EXPECT_EQ(RunLife::accept(ports(), assignment).error().reason, "ASSIGNMENT_INVALID");
}

}  // namespace
}  // namespace paddock::executor
