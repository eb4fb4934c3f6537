#include "node-agent/runtimes/environment.h"

#include <stdlib.h>

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "node-agent/runtimes/environment_store.h"

namespace paddock::runtimes {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class EnvironmentTest : public testing::Test {
 protected:
  EnvironmentTest() {
    std::string pattern = testing::TempDir() + "environment-XXXXXX";
    base = ::mkdtemp(pattern.data());
    config.dir = base;
    config.wheel_dir = base + "/wheels";
    for (const std::string folder : {"/ws", "/wheels", "/other-wheels"})
      EXPECT_TRUE(os::make_dirs(base + folder).ok());
    for (const std::string file : {"/wheels/y.whl", "/other-wheels/y.whl"})
      EXPECT_TRUE(os::write_file_atomic(base + file, "").ok());
    workspace = *os::open_root(base + "/ws");
    request.workspace = workspace.get();
    request.workspace_id = "default/demo";
    request.trace_id = "t1";
    ports.launch = [this](const LaunchRequest& launch) { return fake_launch(launch); };
    ports.say = [this](const std::string& line) { said.push_back(line); };
    ports.quote = [this](const std::string& text) { quoted.push_back(text); };
    ports.wait = [] { return false; };
    ports.now = [this] { return clock.wall(); };
  }
  ~EnvironmentTest() override { (void)os::remove_tree(base); }

  void ask(const std::string& name, const std::string& content) {
    ASSERT_TRUE(os::write_file_atomic(base + "/ws/" + name, content).ok());
    request.requirements = name;
  }
  // Behaves like `python3 -m venv`, pip and npm: bin/activate and node_modules are left behind.
  Result<SandboxResult> fake_launch(const LaunchRequest& launch) {
    launches.push_back(launch);
    SandboxResult result;
    result.status = installer_fails && launch.command[1] == "install" ? SandboxStatus::kFailed
                                                                      : SandboxStatus::kOk;
    result.err =
        result.status == SandboxStatus::kOk ? "" : "ERROR: No matching distribution for x\n";
    for (const auto& mount : launch.mounts) {
      if (mount.sandbox_path == "/packages") {
        EXPECT_TRUE(os::make_dirs(mount.host_path + "/node_modules").ok());
      }
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
  ManualClock clock;
  std::vector<LaunchRequest> launches;
  std::vector<std::string> said;
  std::vector<std::string> quoted;
  bool installer_fails = false;
};

TEST_F(EnvironmentTest, AFileThatNamesNothingUsesTheHostsPythonAndSaysSo) {
  ask("requirements.txt", "# nothing but the standard library\n\n");
  ASSERT_TRUE(ensure().ok());
  EXPECT_THAT(said, Contains(HasSubstr("environment: requirements.txt ")));
  EXPECT_TRUE(launches.empty());
}

// proves: ORB-28, ORB-29, ORB-30, ORB-134, ORB-136
TEST_F(EnvironmentTest, AMissBuildsInsideTheSandboxAndTheNextIsAHit) {
  ask("requirements.txt", "tiny==1.0\n");
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.error().describe();
  EXPECT_FALSE(made->cached);
  EXPECT_TRUE(std::regex_match(os::base_name(made->path), std::regex("[0-9a-f]{12}-[0-9a-f]{12}")));
  ASSERT_THAT(launches, SizeIs(3));
  EXPECT_EQ(join(launches[0].command, " "), "python3 -m venv /venv");
  EXPECT_EQ(launches[1].command[0], "cp");
  EXPECT_THAT(join(launches[2].command, " "),
              HasSubstr("/venv/bin/pip install --only-binary :all: --no-build-isolation --no-index "
                        "--find-links /wheels"));
  EXPECT_FALSE(launches[2].policy.network.has_value());
  EXPECT_TRUE(os::exists(made->path + "/bin/activate"));
  EXPECT_FALSE(os::exists(config.dir + "/venvs/.building-" + os::base_name(made->path)));
  const auto again = ensure();
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->cached);
  EXPECT_EQ(again->path, made->path);
  EXPECT_THAT(launches, SizeIs(3));
}

TEST_F(EnvironmentTest, TheSeedOfPythonIsMadeOnceAndEachEnvironmentIsItsCopy) {
  ask("requirements.txt", "x==1.0\n");
  ASSERT_TRUE(ensure().ok());
  launches.clear();
  ask("requirements.txt", "y==1.0\n");
  request.workspace_id = "other/demo";
  ASSERT_TRUE(ensure().ok());
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0].command[0], "cp");
  const auto& seed = launches[0].mounts.back();
  EXPECT_EQ(seed.mode, contracts::MountMode::kReadOnly);
  EXPECT_EQ(launches[1].command[0], "/venv/bin/pip");
  for (const auto& mount : launches[1].mounts) EXPECT_NE(mount.host_path, seed.host_path);
}

TEST_F(EnvironmentTest, TheSeedIsMadeBeforeAnythingOfATenantIsThere) {
  ask("requirements.txt", "x==1.0\n");
  bool looked = false;
  ports.launch = [&](const LaunchRequest& launch) {
    if (launch.command[0] == "python3") {
      looked = true;
      EXPECT_THAT(*os::list_dir(launch.mounts[0].host_path), testing::IsEmpty());
    }
    return fake_launch(launch);
  };
  ASSERT_TRUE(ensure().ok());
  EXPECT_TRUE(looked);
}

TEST_F(EnvironmentTest, ASeedThatNobodyUsedIsRemovedAndMadeAgain) {
  ask("requirements.txt", "x==1.0\n");
  ASSERT_TRUE(ensure().ok());
  EXPECT_EQ(*prune_environments(config.dir, clock.wall() + kUnusedEnvironmentKept + Millis(1),
                                kUnusedEnvironmentKept),
            2);
  launches.clear();
  ASSERT_TRUE(ensure().ok());
  EXPECT_THAT(launches, SizeIs(3));
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
  installer_fails = true;
  const auto made = ensure();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().reason, "ENVIRONMENT_FAILED");
  EXPECT_THAT(made.error().message, HasSubstr("No matching distribution"));
  EXPECT_THAT(quoted, ElementsAre("ERROR: No matching distribution for x"));
  const auto names = os::list_dir(config.dir + "/venvs");
  ASSERT_TRUE(names.ok());
  const std::string seed = environment_key("", "seed");
  for (const std::string& name : *names) EXPECT_TRUE(name.ends_with(".lock") || name == seed);
  installer_fails = false;
  EXPECT_FALSE(ensure()->cached);
}

// proves: ORB-135
TEST_F(EnvironmentTest, AnEnvironmentWithoutItsMarkerOrItsActivateIsBuiltAgain) {
  ask("requirements.txt", "x==1.0\n");
  const std::string venv = ensure()->path;
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
  const std::string venv = ensure()->path;
  const std::string aside = base + "/aside";
  ASSERT_EQ(::rename(venv.c_str(), aside.c_str()), 0);
  launches.clear();
  std::optional<os::LockFile> builder = *os::LockFile::acquire(venv + ".lock");
  ports.wait = [&] {
    EXPECT_EQ(::rename(aside.c_str(), venv.c_str()), 0);
    builder.reset();
    return true;
  };
  const auto made = ensure();
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->cached);
  EXPECT_TRUE(launches.empty());
  EXPECT_THAT(said, Contains(HasSubstr("waiting")));
}

TEST_F(EnvironmentTest, WhoWaitsAndIsStoppedGivesUp) {
  ask("requirements.txt", "x==1.0\n");
  const std::string venv = ensure()->path;
  const auto builder = os::LockFile::acquire(venv + ".lock");
  EXPECT_EQ(ensure().error().reason, "INTERRUPTED");
}

// proves: ORB-130
TEST_F(EnvironmentTest, OneThatWasBuiltFromSomethingElseIsNoHitWhateverItsName) {
  ask("requirements.txt", "x==1.0\n");
  const std::string venv = ensure()->path;
  ASSERT_TRUE(os::write_file_atomic(venv + "/.paddock-environment", std::string(64, '0')).ok());
  EXPECT_FALSE(ensure()->cached);
  EXPECT_TRUE(ensure()->cached);
  config.wheel_dir = base + "/other-wheels";
  const auto made = ensure();
  EXPECT_FALSE(made->cached);
  EXPECT_EQ(made->path, venv);
}

TEST_F(EnvironmentTest, OneInUseIsNotBuiltAnewUnderItsUserAndTheNewOneIsMadeBeside) {
  ask("requirements.txt", "x==1.0\n");
  std::optional<Environment> in_use = *ensure();
  config.wheel_dir = base + "/other-wheels";
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.error().describe();
  EXPECT_FALSE(made->cached);
  EXPECT_TRUE(made->path.starts_with(in_use->path + "-"));
  EXPECT_TRUE(os::exists(in_use->path + "/bin/activate"));
  in_use.reset();
  const auto again = ensure();
  EXPECT_TRUE(again->cached);
  EXPECT_EQ(again->path, made->path);
}

TEST_F(EnvironmentTest, AWheelThatWasRebuiltOrAddedMakesItAnew) {
  const std::string one = config.wheel_dir + "/x-1.0-py3-none-any.whl";
  ASSERT_TRUE(os::write_file_atomic(one, "one").ok());
  ask("requirements.txt", "x>=1.0\n");
  EXPECT_FALSE(ensure()->cached);
  EXPECT_TRUE(ensure()->cached);
  ASSERT_TRUE(os::write_file_atomic(one, "rebuilt").ok());
  EXPECT_FALSE(ensure()->cached);
  ASSERT_TRUE(os::write_file_atomic(config.wheel_dir + "/x-2.0-py3-none-any.whl", "two").ok());
  EXPECT_FALSE(ensure()->cached);
  ASSERT_TRUE(os::write_file_atomic(config.wheel_dir + "/notes.txt", "no wheel").ok());
  EXPECT_TRUE(ensure()->cached);
}

// proves: ORB-65, ORB-137
TEST_F(EnvironmentTest, PipReachesTheOperatorsIndexAndNothingElse) {
  config.wheel_dir.clear();
  config.python_index = "http://index.test:8081/simple";
  config.network.resolvers = {"192.0.2.53"};
  ask("requirements.txt", "x==1.0\n");
  ASSERT_TRUE(ensure().ok());
  ASSERT_THAT(launches, SizeIs(3));
  EXPECT_FALSE(launches[0].policy.network.has_value());
  EXPECT_FALSE(launches[1].policy.network.has_value());
  EXPECT_THAT(launches[2].policy.network->allow_domains, ElementsAre("index.test:8081"));
  EXPECT_THAT(launches[2].network->resolvers, ElementsAre("192.0.2.53"));
  EXPECT_EQ(join(launches[2].command, " "),
            "/venv/bin/pip install --only-binary :all: --no-build-isolation --index-url "
            "http://index.test:8081/simple --trusted-host index.test:8081 --isolated --no-input "
            "--no-cache-dir --disable-pip-version-check -r /workspace/req");
}

// proves: ORB-67, ORB-141
TEST_F(EnvironmentTest, NpmInstallsWithoutScriptsFromTheOperatorsRegistryOnce) {
  config.npm_registry = "https://registry.test/npm";
  config.ca_file = base + "/ca.pem";
  ASSERT_TRUE(os::write_file_atomic(config.ca_file, "pem").ok());
  ask("package.json", R"({"dependencies":{"left-pad":"1"},"scripts":{"preinstall":"id"}})");
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.error().describe();
  EXPECT_FALSE(made->cached);
  EXPECT_FALSE(made->python);
  EXPECT_EQ(made->inside, "/node_modules");
  EXPECT_TRUE(std::regex_search(
      made->path, std::regex("/node_modules_cache/[0-9a-f]{12}-[0-9a-f]{12}/node_modules$")));
  ASSERT_THAT(launches, SizeIs(1));
  const std::string argv = join(launches[0].command, " ");
  EXPECT_THAT(argv, HasSubstr("npm install --ignore-scripts --prefix /packages --registry "
                              "https://registry.test/npm "));
  EXPECT_THAT(argv, HasSubstr("--cafile /workspace/ca.pem"));
  EXPECT_THAT(launches[0].policy.network->allow_domains, ElementsAre("registry.test:443"));
  EXPECT_THAT(*os::read_file(os::join_path(made->path, "../package.json")),
              testing::Not(HasSubstr("preinstall")));
  EXPECT_TRUE(ensure()->cached);
  EXPECT_THAT(launches, SizeIs(1));
}

TEST_F(EnvironmentTest, WithoutASourceTheOperatorIsToldWhatToSet) {
  config.wheel_dir.clear();
  ask("requirements.txt", "x==1.0\n");
  EXPECT_EQ(ensure().error().reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_THAT(ensure().error().message, HasSubstr("packages.pythonIndex or wheelDir"));
  ask("package.json", R"({"dependencies":{"left-pad":"1"}})");
  EXPECT_EQ(ensure().error().reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_THAT(ensure().error().message, HasSubstr("packages.npmRegistry"));
  config.instance = "lab";
  EXPECT_THAT(ensure().error().message, HasSubstr("`paddock up --instance lab --packages public`"));
  config.instance = "default";
  EXPECT_THAT(ensure().error().message, HasSubstr("`paddock up --npm-registry URL`"));
  config.npm_registry = "https://registry.test/";
  config.ca_file = base + "/none.pem";
  EXPECT_THAT(ensure().error().message, HasSubstr("packages.caFile"));
}

TEST_F(EnvironmentTest, AFolderOfWheelsThatIsNotThereIsNoSource) {
  ask("requirements.txt", "x==1.0\n");
  ASSERT_TRUE(os::remove_tree(config.wheel_dir).ok());
  EXPECT_EQ(ensure().error().reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_THAT(ensure().error().message, HasSubstr("wheelDir"));
  EXPECT_TRUE(launches.empty());
}

TEST_F(EnvironmentTest, AnEmptyFolderOfWheelsIsNoSourceUnlessThereIsAnother) {
  ask("requirements.txt", "x==1.0\n");
  ASSERT_TRUE(os::remove_tree(config.wheel_dir).ok());
  ASSERT_TRUE(os::make_dirs(config.wheel_dir).ok());
  EXPECT_EQ(ensure().error().reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_THAT(ensure().error().message, HasSubstr("wheelDir is empty on this node"));
  EXPECT_TRUE(launches.empty());
  config.python_index = "https://index.test/simple";
  config.network.resolvers = {"192.0.2.53"};
  EXPECT_TRUE(ensure().ok());
}

TEST_F(EnvironmentTest, NothingIsBuiltOnADiskThatIsNearlyFull) {
  config.min_free = int64_t{1} << 60;
  ask("requirements.txt", "x==1.0\n");
  EXPECT_EQ(ensure().error().reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_THAT(ensure().error().message, HasSubstr("make room"));
  EXPECT_TRUE(launches.empty());
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

TEST_F(EnvironmentTest, APackageJsonThatNamesNothingNeedsNothing) {
  ask("package.json", R"({"name":"x"})");
  ASSERT_TRUE(ensure().ok());
  EXPECT_EQ(ensure()->path, "");
  EXPECT_TRUE(launches.empty());
}

}  // namespace
}  // namespace paddock::runtimes
