#include <gmock/gmock.h>

#include "common/base/text.h"
#include "controller/admission/admit_fixture.h"

namespace paddock::admission {
namespace {

TEST_F(Admit, AsksAllButTheFilesOfAWorkspaceThatIsStillToBeMade) {
  spec_.workspace.clear();
  EXPECT_EQ(reason(), "WORKSPACE_REQUIRED");
  context_.files_later = true;
  EXPECT_EQ(reason(), "");
  spec_.command.argv = {"python3", "missing.py"};
  spec_.requirements = "missing.txt";
  EXPECT_EQ(reason(), "SCRIPT_NOT_FOUND") << "these are the files that it will have";
  context_.tree = nullptr;
  EXPECT_EQ(reason(), "") << "nobody knows the files";
  spec_.command.argv = {"curl", "missing.py"};
  EXPECT_EQ(reason(), "COMMAND_NOT_ALLOWED");
  spec_.command.argv = {"python3", "missing.py"};
  spec_.timeout = wire::Duration{std::chrono::hours(1'000)};
  EXPECT_EQ(reason(), "TIMEOUT_OVER_CEILING");
}

// Builds begin with the profile of compute runs, whose environment is exact.
TEST_F(Admit, GivesBuildsAnEnvironmentThatSuitsMostPrograms) {
  tree_.entries.push_back({"build.sh", std::string(64, 'a'), 1, false});
  spec_.type = contracts::RunType::kScript;
  spec_.command.argv = {"bash", "build.sh"};
  spec_.sandbox.env = {{"LSAN_OPTIONS", "verbosity=1"}};
  const auto build = admit(spec_, wanted_media(spec_), context_);
  ASSERT_TRUE(build.ok()) << build.error().describe();
  EXPECT_EQ(build->environment.at("PYTHONUNBUFFERED"), "1");
  spec_.type = contracts::RunType::kCompute;
  spec_.command.argv = {"python3", "s.py"};
  spec_.sandbox.env.clear();
  const auto compute = admit(spec_, wanted_media(spec_), context_);
  ASSERT_TRUE(compute.ok()) << compute.error().describe();
  EXPECT_EQ(compute->environment, contracts::builtin_profiles().at("compute").environment);
}

TEST_F(Admit, FillsInWhatTheCallerLeftOutAndRewritesNothing) {
  spec_.artifacts.dirs = {"models/"};
  const AdmittedRun admitted = admit(spec_, wanted_media(spec_), context_).value();
  EXPECT_EQ(admitted.spec.timeout, wire::Duration{std::chrono::minutes(30)});
  EXPECT_EQ(admitted.spec.profile, "compute");
  ASSERT_TRUE(admitted.spec.media_execution);
  EXPECT_EQ(admitted.spec.media_execution->mode, contracts::MediaMode::kEnabled);
  EXPECT_EQ(admitted.spec.artifacts.dirs[0], "models/");
  EXPECT_EQ(admitted.policy.limits.wall_time, admitted.spec.timeout);
  EXPECT_EQ(admitted.policy.limits.pids, 64);
  ASSERT_TRUE(admitted.policy.network);
  EXPECT_FALSE(admitted.policy.network->enabled);
}

TEST_F(Admit, EnforcesTheTimeoutAsWallTimeOrAStricterWallTime) {
  spec_.timeout = wire::Duration{Millis(5000)};
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_).value().policy.limits.wall_time,
            wire::Duration{Millis(5000)});
  spec_.sandbox.limits.wall_time = wire::Duration{Millis(2000)};
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_).value().policy.limits.wall_time,
            wire::Duration{Millis(2000)});
  spec_.timeout.reset();
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_).value().spec.timeout,
            wire::Duration{Millis(2000)});
}

TEST_F(Admit, RefusesOverACeilingAndNeverClamps) {
  context_.ceilings.limits.wall_time = wire::Duration{std::chrono::hours(1)};
  spec_.timeout = wire::Duration{std::chrono::hours(1)};
  EXPECT_EQ(reason(), "");
  spec_.timeout = wire::Duration{std::chrono::hours(1) + Millis(1)};
  EXPECT_EQ(reason(), "TIMEOUT_OVER_CEILING");
  EXPECT_EQ(field(), "spec.timeout");
  spec_.timeout.reset();
  spec_.sandbox.limits.wall_time = wire::Duration{std::chrono::hours(2)};
  EXPECT_EQ(reason(), "TIMEOUT_OVER_CEILING");
  EXPECT_EQ(field(), "spec.sandbox.limits.wallTime");
  spec_.sandbox.limits = {};
  context_.ceilings.limits.memory = wire::Quantity{16LL << 30};
  spec_.sandbox.limits.memory = wire::Quantity{32LL << 30};
  EXPECT_EQ(reason(), "LIMIT_OVER_CEILING");
  EXPECT_EQ(field(), "spec.sandbox.limits.memory");
}

TEST_F(Admit, RefusesMoreDiskThanTheRunMayWrite) {
  spec_.resources.emplace().disk = wire::Quantity{4LL << 30};
  EXPECT_EQ(reason(), "") << "as much as its profile lets it";
  spec_.resources->disk->bytes += 1;
  EXPECT_EQ(reason(), "DISK_OVER_LIMIT");
  EXPECT_EQ(field(), "spec.resources.disk");
  context_.largest.fs_bytes = wire::Quantity{16LL << 30};
  spec_.sandbox.limits.fs_bytes = wire::Quantity{8LL << 30};
  EXPECT_EQ(reason(), "");
  // What no node has is refused with the limit that it would take.
  spec_.resources->disk = spec_.sandbox.limits.fs_bytes = wire::Quantity{1LL << 50};
  EXPECT_EQ(reason(), "LIMIT_OVER_CEILING");
  EXPECT_EQ(field(), "spec.sandbox.limits.fsBytes");
}

TEST_F(Admit, RefusesAGraceOverTheCeilingAndNamesWhatWouldPass) {
  spec_.termination_grace = wire::Wait{std::chrono::minutes(5)};
  EXPECT_EQ(reason(), "");
  spec_.termination_grace->value += Millis(1);
  EXPECT_EQ(reason(), "GRACE_OVER_CEILING");
  EXPECT_EQ(field(), "spec.terminationGrace");
  EXPECT_THAT(admit(spec_, wanted_media(spec_), context_).error().message,
              testing::HasSubstr("at most 5m"));
  context_.ceilings.termination_grace.reset();
  EXPECT_EQ(reason(), "");
}

// proves partly: VLT-02, VLT-37, ELV-55
TEST_F(Admit, GivesCodeAndTestsTheirProfiles) {
  spec_.type = contracts::RunType::kTest;
  spec_.command.argv = {"pytest", "-v", "deps"};
  const AdmittedRun test = admit(spec_, wanted_media(spec_), context_).value();
  EXPECT_EQ(test.spec.profile, "test");
  EXPECT_EQ(test.environment.at("PYTHONHASHSEED"), "0");
  EXPECT_EQ(test.spec.timeout, wire::Duration{std::chrono::seconds(30)});
  spec_ = {};
  spec_.type = contracts::RunType::kCode;
  spec_.code = "print(1)";
  context_.tree = nullptr;
  const AdmittedRun code = admit(spec_, wanted_media(spec_), context_).value();
  EXPECT_EQ(code.spec.profile, "code");
  EXPECT_EQ(code.spec.timeout, wire::Duration{std::chrono::minutes(30)});
  EXPECT_EQ(code.spec.code, "print(1)");
  EXPECT_FALSE(code.policy.network->enabled);
  spec_.profile = "compute";
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_).value().spec.profile, "compute");
  spec_.timeout = wire::Duration{std::chrono::hours(25)};
  EXPECT_EQ(reason(), "TIMEOUT_OVER_CEILING");
}

TEST_F(Admit, RefusesWhatACodeRunCannotHave) {
  spec_.type = contracts::RunType::kCode;
  spec_.command.argv.clear();
  EXPECT_EQ(reason(), "CODE_REQUIRED");
  spec_.code = "print(1)";
  EXPECT_EQ(reason(), "FIELD_NOT_SUPPORTED");
  EXPECT_EQ(field(), "spec.workspace");
  spec_.workspace.clear();
  EXPECT_EQ(reason(), "");
  spec_.requirements = "requirements.txt";
  EXPECT_EQ(reason(), "REQUIREMENTS_INVALID");
}

TEST_F(Admit, GivesTestRunsRequirementsAndPytestAlone) {
  spec_.type = contracts::RunType::kTest;
  EXPECT_EQ(reason(), "COMMAND_NOT_ALLOWED");
  spec_.command.argv = {"python3", "-m", "pytest", "s.py"};
  spec_.requirements = "requirements.txt";
  EXPECT_EQ(reason(), "");
  spec_.command.argv = {"pytest", "-p", "evil"};
  EXPECT_EQ(field(), "spec.command[1]");
  spec_.command.argv = {"pytest"};
  spec_.workspace.clear();
  EXPECT_EQ(reason(), "WORKSPACE_REQUIRED");
}

TEST_F(Admit, GivesEachTypeItsOwnCommands) {
  tree_.entries.push_back({"build.sh", std::string(64, 'a'), 1, false});
  tree_.entries.push_back({"gradlew", std::string(64, 'a'), 1, true});
  spec_.type = contracts::RunType::kScript;
  EXPECT_EQ(reason(), "COMMAND_NOT_ALLOWED");
  EXPECT_NE(admit(spec_, wanted_media(spec_), context_).error().message.find("bash"),
            std::string::npos);
  spec_.command.argv = {"bash", "build.sh", "release"};
  EXPECT_EQ(reason(), "");
  spec_.type = contracts::RunType::kGradle;
  EXPECT_EQ(reason(), "COMMAND_NOT_ALLOWED");
  spec_.command.argv = {"./gradlew", "check"};
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_)->spec.command.argv, spec_.command.argv);
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_)->spec.profile, "compute");
  spec_.type = contracts::RunType::kCompute;
  EXPECT_EQ(reason(), "COMMAND_NOT_ALLOWED");
}

TEST_F(Admit, LetsBuildsHaveNoRequirements) {
  tree_.entries.push_back({"build.sh", std::string(64, 'a'), 1, false});
  spec_.type = contracts::RunType::kScript;
  spec_.command.argv = {"bash", "build.sh"};
  spec_.requirements = "requirements.txt";
  EXPECT_EQ(reason(), "REQUIREMENTS_INVALID");
  EXPECT_EQ(field(), "spec.requirements");
}

constexpr const char* kBadNames[] = {
    "a/b", "..", "../w", "Models", "other/models", "a.b", "-a", "a b", "a\n", "a@2", "/", "~"};

// proves partly: ORB-18
TEST_F(Admit, PublishesArtifactsUnderADnsLabel) {
  spec_.artifacts.dirs = {"models"};
  spec_.publish = "captions-2";
  EXPECT_EQ(reason(), "");
  for (const char* name : kBadNames) {
    spec_.publish = name;
    EXPECT_EQ(reason(), "VOLUME_NAME_INVALID") << name;
    EXPECT_EQ(field(), "spec.publish");
  }
  spec_.publish = std::string(64, 'a');
  EXPECT_EQ(reason(), "VOLUME_NAME_INVALID");
  spec_.publish = "captions";
  spec_.artifacts.dirs.clear();
  EXPECT_EQ(reason(), "PUBLISH_WITHOUT_ARTIFACTS");
  const auto empty = wire::decode<RunSpec>(
      wire::Value::Object{{"type", "compute"}, {"command", "python3 s.py"}, {"publish", ""}});
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().causes.at(0).field, "publish");
}

TEST_F(Admit, ReadsEachVolumeOnceAndByItsName) {
  spec_.volumes = {{"a", {}}, {"b", 3}};
  EXPECT_EQ(reason(), "");
  spec_.volumes = {{"a", {}}, {"a", 3}};
  EXPECT_EQ(reason(), "VOLUME_TWICE");
  EXPECT_EQ(field(), "spec.volumes[1].name");
  for (const char* name : kBadNames) {
    spec_.volumes = {{name, {}}};
    EXPECT_EQ(reason(), "VOLUME_NAME_INVALID") << name;
  }
}

// proves: ORB-95
TEST_F(Admit, WantsTheRequirementsFileInsideTheWorkspace) {
  for (const char* good : {"", "requirements.txt", "deps/requirements.txt"}) {
    spec_.requirements = good;
    EXPECT_EQ(reason(), "") << good;
  }
  for (const char* bad : {"../r", "/etc/r", "deps/../../../etc/passwd", "missing.txt", "deps/",
                          "./requirements.txt", "a\nb"}) {
    spec_.requirements = bad;
    EXPECT_EQ(reason(), "REQUIREMENTS_INVALID") << bad;
    EXPECT_EQ(field(), "spec.requirements");
  }
}

TEST_F(Admit, WantsArtifactFoldersInsideTheWorkspace) {
  for (const char* bad : {"/models", "../models", "a/../../b", "", "..", "a//b", "a/./b"}) {
    spec_.artifacts.dirs = {"models", bad};
    EXPECT_EQ(reason(), "ARTIFACT_DIR_INVALID") << bad;
    EXPECT_EQ(field(), "spec.artifacts.dirs[1]");
  }
  for (const char* good : {".", "./", "models/"}) {
    spec_.artifacts.dirs = {good};
    EXPECT_TRUE(admit(spec_, wanted_media(spec_), context_).ok()) << good;
  }
}

TEST_F(Admit, NamesTheWordTheRuleAndWhatWouldPass) {
  spec_.command.argv = {"python3", "s.py", "a;b"};
  const Error error = admit(spec_, wanted_media(spec_), context_).error();
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  EXPECT_EQ(error.reason, "COMMAND_METACHARACTER");
  EXPECT_EQ(error.causes.at(0).field, "spec.command[2]");
  EXPECT_NE(error.message.find("a;b"), std::string::npos);
}

TEST_F(Admit, NeedsAWorkspaceWithTheScript) {
  spec_.workspace.clear();
  context_.tree = nullptr;
  EXPECT_EQ(reason(), "WORKSPACE_REQUIRED");
}

// proves: ORB-100
TEST_F(Admit, LetsNoVariableIntoAComputeRun) {
  for (const char* name : {"NODE_OPTIONS", "PYTHONSTARTUP", "BASH_ENV", "LD_PRELOAD", "ANYTHING"}) {
    spec_.sandbox.env = {{name, "x"}};
    EXPECT_EQ(reason(), "ENV_NOT_ALLOWED") << name;
  }
  spec_.sandbox.env.clear();
  spec_.command.argv = {"NODE_OPTIONS=--require=./x", "node", "s.js"};
  EXPECT_EQ(reason(), "COMMAND_NOT_ALLOWED");
  const auto with_env = wire::decode<RunSpec>(wire::Value::Object{
      {"type", "compute"}, {"command", "python3 s.py"}, {"env", wire::Value::Object{{"A", "1"}}}});
  ASSERT_FALSE(with_env.ok());
  EXPECT_EQ(with_env.error().reason, "UNKNOWN_FIELD");
}

// proves partly: VLT-04
TEST_F(Admit, LetsATestRunAddVariablesAndReplaceNone) {
  spec_.type = contracts::RunType::kTest;
  spec_.command.argv = {"pytest"};
  spec_.sandbox.env = {{"COVERAGE_PROCESS_START", "/workspace/.coveragerc"}};
  ASSERT_EQ(reason(), "");
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_)->environment.at("PYTHONHASHSEED"), "0");
  spec_.sandbox.env = {{"PYTHONHASHSEED", "7"}};
  EXPECT_EQ(reason(), "ENV_NOT_ALLOWED");
  EXPECT_EQ(field(), "spec.sandbox.env.PYTHONHASHSEED");
}

// proves partly: ELV-04
TEST_F(Admit, TakesAnOperatorsProfile) {
  contracts::Profile nightly = context_.profiles.at("compute");
  nightly.policy.limits.pids = 7;
  nightly.environment["LANG"] = "C";
  context_.profiles["nightly"] = nightly;
  spec_.profile = "nightly";
  const AdmittedRun admitted = admit(spec_, wanted_media(spec_), context_).value();
  EXPECT_EQ(admitted.policy.limits.pids, 7);
  EXPECT_EQ(admitted.environment.at("LANG"), "C");
}

TEST_F(Admit, GivesNoNetworkDeviceOrUnlistedHostFolder) {
  spec_.sandbox.network = contracts::NetworkPolicy{true, {}};
  EXPECT_EQ(reason(), "NETWORK_NOT_ALLOWED");
  spec_.sandbox = {};
  spec_.sandbox.devices = {"/dev/kvm"};
  EXPECT_EQ(reason(), "DEVICE_NOT_ALLOWED");
  spec_.sandbox = {};
  context_.ceilings.host_mounts = {"/srv/data"};
  spec_.sandbox.host_mounts = {{"/srv/data/set1", "/data", contracts::MountMode::kReadOnly}};
  EXPECT_EQ(reason(), "");
  for (const char* path : {"/srv/database", "/srv", "/etc"}) {
    spec_.sandbox.host_mounts[0].host_path = path;
    EXPECT_EQ(reason(), "HOST_MOUNT_NOT_ALLOWED") << path;
  }
}

TEST_F(Admit, RefusesWhatThisServerDoesNotDo) {
  spec_.profile = "loose";
  EXPECT_EQ(reason(), "PROFILE_UNKNOWN");
}

// proves: OD-21, OD-84
TEST_F(Admit, WritesDownTheMediaPolicyThatItsCallerPassed) {
  EXPECT_EQ(wanted_media(spec_).mode, contracts::MediaMode::kEnabled) << "the public default";
  const contracts::MediaExecution off{contracts::MediaMode::kDisabled, {}, {}};
  EXPECT_EQ(admit(spec_, off, context_)->spec.media_execution->mode,
            contracts::MediaMode::kDisabled);
}

TEST_F(Admit, LetsAnAgentRunExecuteAnyProgram) {
  spec_.type = contracts::RunType::kAgent;
  spec_.command.argv = {"agent", "-c", "anything; at all"};
  EXPECT_EQ(reason(), "");
}

TEST_F(Admit, RefusesACommandThatIsTooLong) {
  spec_.command.argv.push_back(std::string(70'000, 'a'));
  EXPECT_EQ(reason(), "COMMAND_TOO_LONG");
}

// As the launcher counts: the words, and one byte between two of them.
TEST_F(Admit, TakesACommandThatIsAsLongAsItMayBe) {
  const std::string words = join(spec_.command.argv, " ");
  spec_.sandbox.limits.command_bytes = wire::Quantity{static_cast<int64_t>(words.size())};
  EXPECT_EQ(reason(), "");
  spec_.sandbox.limits.command_bytes->bytes -= 1;
  EXPECT_EQ(reason(), "COMMAND_TOO_LONG");
}

}  // namespace
}  // namespace paddock::admission
