#include "node-agent/runtimes/environment.h"

#include <stdlib.h>

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/file.h"
#include "common/os/lock_file.h"

namespace paddock::runtimes {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

class EnvironmentTest : public testing::Test {
 protected:
  EnvironmentTest() {
    std::string pattern = testing::TempDir() + "environment-XXXXXX";
    base = ::mkdtemp(pattern.data());
    config.dir = base + "/venvs";
    config.wheel_dir = base + "/wheels";
    EXPECT_TRUE(os::make_dirs(base + "/ws").ok());
    workspace = *os::open_root(base + "/ws");
    request.workspace = workspace.get();
    request.workspace_id = "default/demo";
    request.trace_id = "t1";
    ports.launch = [this](const LaunchRequest& launch) { return fake_launch(launch); };
    ports.say = [this](const std::string& line) { said.push_back(line); };
    ports.wait = [] { return false; };
  }
  ~EnvironmentTest() override { (void)os::remove_tree(base); }

  void ask(const std::string& name, const std::string& content) {
    ASSERT_TRUE(os::write_file_atomic(base + "/ws/" + name, content).ok());
    request.requirements = name;
  }
  // Behaves like `python3 -m venv` and pip: the first leaves bin/activate behind.
  Result<SandboxResult> fake_launch(const LaunchRequest& launch) {
    launches.push_back(launch);
    SandboxResult result;
    result.status =
        pip_fails && launch.command[1] == "install" ? SandboxStatus::kFailed : SandboxStatus::kOk;
    result.err =
        result.status == SandboxStatus::kOk ? "" : "ERROR: No matching distribution for x\n";
    for (const auto& mount : launch.mounts) {
      if (mount.sandbox_path != "/venv") continue;
      EXPECT_TRUE(os::make_dirs(mount.host_path + "/bin").ok());
      EXPECT_TRUE(os::write_file_atomic(mount.host_path + "/bin/activate", "").ok());
    }
    return result;
  }
  Result<Environment> ensure() { return ensure_environment(config, request, ports); }

  std::string base;
  os::Fd workspace;
  EnvironmentConfig config;
  EnvironmentRequest request;
  EnvironmentPorts ports;
  std::vector<LaunchRequest> launches;
  std::vector<std::string> said;
  bool pip_fails = false;
};

TEST_F(EnvironmentTest, NothingAskedForNeedsNothing) {
  const auto made = ensure();
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->venv, "");
  EXPECT_TRUE(launches.empty());
}

TEST_F(EnvironmentTest, AFileThatNamesNothingUsesTheHostsPythonAndSaysSo) {
  ask("requirements.txt", "# nothing but the standard library\n\n");
  ASSERT_TRUE(ensure().ok());
  EXPECT_THAT(said, Contains("requirements.txt names nothing; using the host's Python"));
  EXPECT_TRUE(launches.empty());
}

// proves: ORB-28, ORB-29, ORB-30, ORB-134, ORB-136
TEST_F(EnvironmentTest, AMissBuildsInsideTheSandboxAndTheNextIsAHit) {
  ask("requirements.txt", "tiny==1.0\n");
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.error().describe();
  EXPECT_FALSE(made->cached);
  EXPECT_TRUE(std::regex_match(os::base_name(made->venv), std::regex("[0-9a-f]{12}-[0-9a-f]{12}")));
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(join(launches[0].command, " "), "python3 -m venv /venv");
  EXPECT_THAT(join(launches[1].command, " "),
              HasSubstr("/venv/bin/pip install --only-binary :all: --no-build-isolation --no-index "
                        "--find-links /wheels"));
  EXPECT_FALSE(launches[1].policy.network.has_value());
  EXPECT_TRUE(os::exists(made->venv + "/bin/activate"));
  EXPECT_FALSE(os::exists(config.dir + "/.building-" + os::base_name(made->venv)));
  const auto again = ensure();
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->cached);
  EXPECT_EQ(again->venv, made->venv);
  EXPECT_THAT(launches, SizeIs(2));
}

// proves: ORB-27, ORB-133
TEST_F(EnvironmentTest, TheKeyIsTheContentAndNotTheName) {
  const std::string key = environment_key("default/demo", "tiny==1.0\n");
  EXPECT_EQ(key, environment_key("default/demo", "tiny==1.0\n"));
  EXPECT_NE(key, environment_key("default/demo", "tiny==1.1\n"));
  EXPECT_NE(key, environment_key("default/other", "tiny==1.0\n"));
  ask("requirements.txt", "tiny==1.0\n");
  ASSERT_TRUE(ensure().ok());
  ask("renamed.txt", "tiny==1.0\n");
  EXPECT_TRUE(ensure()->cached);
}

// proves: ORB-29, ORB-135
TEST_F(EnvironmentTest, AFailedInstallLeavesNothingThatLooksLikeAHit) {
  ask("requirements.txt", "x==1.0\n");
  pip_fails = true;
  const auto made = ensure();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().reason, "ENVIRONMENT_FAILED");
  EXPECT_THAT(made.error().message, HasSubstr("No matching distribution"));
  const auto names = os::list_dir(config.dir);
  ASSERT_TRUE(names.ok());
  for (const std::string& name : *names) EXPECT_TRUE(name.ends_with(".lock"));
  pip_fails = false;
  EXPECT_FALSE(ensure()->cached);
}

// proves: ORB-135
TEST_F(EnvironmentTest, AnEnvironmentWithoutItsMarkerOrItsActivateIsBuiltAgain) {
  ask("requirements.txt", "x==1.0\n");
  const std::string venv = ensure()->venv;
  for (const char* part : {"/.paddock-environment", "/bin/activate"}) {
    ASSERT_TRUE(os::remove_tree(venv + part).ok());
    const auto rebuilt = ensure();
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().describe();
    EXPECT_FALSE(rebuilt->cached) << part;
  }
}

// proves: ORB-139
TEST_F(EnvironmentTest, ASecondBuilderWaitsAndTakesWhatTheFirstOneMade) {
  ask("requirements.txt", "x==1.0\n");
  const std::string venv = config.dir + "/" + environment_key("default/demo", "x==1.0\n");
  ASSERT_TRUE(os::make_dirs(config.dir).ok());
  std::optional<os::LockFile> builder = *os::LockFile::acquire(venv + ".lock");
  ports.wait = [&] {
    EXPECT_TRUE(os::make_dirs(venv + "/bin").ok());
    EXPECT_TRUE(os::write_file_atomic(venv + "/bin/activate", "").ok());
    EXPECT_TRUE(os::write_file_atomic(venv + "/.paddock-environment", "").ok());
    builder.reset();
    return true;
  };
  const auto made = ensure();
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->cached);
  EXPECT_TRUE(launches.empty());
}

TEST_F(EnvironmentTest, WithoutAWheelFolderTheOperatorIsToldWhatToSet) {
  config.wheel_dir.clear();
  ask("requirements.txt", "x==1.0\n");
  const auto made = ensure();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_THAT(made.error().message, HasSubstr("wheelDir"));
}

TEST_F(EnvironmentTest, AMissingEnsurepipNamesThePackageToInstall) {
  ask("requirements.txt", "x==1.0\n");
  ports.launch = [](const LaunchRequest&) -> Result<SandboxResult> {
    SandboxResult result;
    result.status = SandboxStatus::kFailed;
    result.out =
        "The virtual environment was not created successfully because ensurepip is not\navailable.";
    return result;
  };
  const auto made = ensure();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_THAT(made.error().message, HasSubstr("python3-venv"));
}

TEST_F(EnvironmentTest, AMissingOrLinkedFileIsNamed) {
  request.requirements = "none.txt";
  EXPECT_EQ(ensure().error().reason, "REQUIREMENTS_MISSING");
  request.requirements = "../outside.txt";
  EXPECT_EQ(ensure().error().reason, "REQUIREMENTS_MISSING");
}

TEST_F(EnvironmentTest, NpmPackagesAreNotInstalledHere) {
  ask("package.json", R"({"dependencies":{"left-pad":"1"}})");
  EXPECT_EQ(ensure().error().reason, "REQUIREMENTS_UNSUPPORTED");
  ask("package.json", R"({"name":"x"})");
  EXPECT_TRUE(ensure().ok());
}

TEST_F(EnvironmentTest, ASweepRemovesWhatAKilledBuilderLeft) {
  ASSERT_TRUE(os::make_dirs(config.dir + "/.building-abc/venv").ok());
  ASSERT_TRUE(os::make_dirs(config.dir + "/kept").ok());
  sweep_environments(config.dir);
  EXPECT_FALSE(os::exists(config.dir + "/.building-abc"));
  EXPECT_TRUE(os::exists(config.dir + "/kept"));
}

}  // namespace
}  // namespace paddock::runtimes
