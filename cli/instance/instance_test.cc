#include "cli/instance/instance.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "cli/instance/program.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

TEST(InstanceName, AcceptsLettersDigitsDotsDashesAndUnderscores) {
  for (const char* name : {"a", "default", "A1", "lab.2026-11_x", "9"})
    EXPECT_TRUE(check_instance_name(name).ok()) << name;
  EXPECT_TRUE(check_instance_name(std::string(128, 'a')).ok());
}

// proves: OD-35
TEST(InstanceName, RefusesWhatCouldBeAPathOrLooksLikeSomethingElse) {
  for (const char* name :
       {"", ".", "..", "-a", "_a", "a/b", "a b", " a", "a ", "a\n", "ä", "a:b"}) {
    const Status checked = check_instance_name(name);
    ASSERT_FALSE(checked.ok()) << name;
    EXPECT_EQ(checked.error().reason, "INVALID_INSTANCE_NAME");
  }
  EXPECT_FALSE(check_instance_name(std::string(129, 'a')).ok());
}

// proves: OD-35, OD-36, OD-37, OD-38
TEST(InstancePaths, TwoNamesShareNoPath) {
  const InstancePaths a = *instance_paths("/state", "a");
  const InstancePaths b = *instance_paths("/state", "b");
  EXPECT_EQ(a.pointer(), "/state/instances/a/instance.json");
  EXPECT_EQ(a.log(kController), "/state/instances/a/logs/paddock-controller/latest.log");
  EXPECT_EQ(a.socket(kController), "/state/instances/a/run/paddock-controller.sock");
  EXPECT_NE(a.pointer(), b.pointer());
  EXPECT_NE(a.log(kNodeAgent), b.log(kNodeAgent));
  EXPECT_NE(a.socket(kController), b.socket(kController));
  EXPECT_NE(a.controller_data(), b.controller_data());
  EXPECT_NE(a.agent_data(), b.agent_data());
  EXPECT_NE(a.lock(), b.lock());
}

// proves: OD-39
TEST(InstancePaths, APortChangesNoPath) {
  const InstancePaths paths = *instance_paths("/state", "a");
  std::vector<std::string> one = controller_args(paths, 7443);
  std::vector<std::string> other = controller_args(paths, 8443);
  ASSERT_EQ(one.size(), other.size());
  for (size_t i = 0; i < one.size(); ++i) {
    if (one[i] == "7443") continue;
    EXPECT_EQ(one[i], other[i]);
  }
}

TEST(InstancePaths, ADataFolderMovesTheDataAndNothingElse) {
  const InstancePaths paths = *instance_paths("/state", "a", "/mnt/big");
  EXPECT_EQ(paths.controller_data(), "/mnt/big/controller");
  EXPECT_EQ(paths.agent_data(), "/mnt/big/agent");
  EXPECT_EQ(paths.pointer(), "/state/instances/a/instance.json");
}

TEST(InstancePaths, ASocketPathThatTheKernelWouldNotTakeIsLeftOut) {
  const InstancePaths paths = *instance_paths("/" + std::string(120, 'x'), "a");
  for (const std::string& arg : controller_args(paths, 0)) EXPECT_NE(arg, "--unix-socket");
}

TEST(InstanceSettings, ANetworkRaisesTheCeilingsOfBothPrograms) {
  EXPECT_TRUE(program_variables({}).empty());
  InstanceSettings settings;
  settings.network = true;
  EXPECT_EQ(program_variables(settings),
            (std::map<std::string, std::string>{{"PADDOCK_CONTROLLER_CEILINGS_NETWORK", "true"},
                                                {"PADDOCK_NODE_AGENT_CEILINGS_NETWORK", "true"}}));
  EXPECT_NE(network_line({}, false), network_line(settings, false));
  EXPECT_EQ(network_line({}, false).find("none"), 0u);
  EXPECT_NE(network_line({}, true).find("PADDOCK_NODE_AGENT_CEILINGS_NETWORK"), std::string::npos);
}

TEST(StateRoot, FollowsTheEnvironment) {
  EXPECT_EQ(*state_root({{"PADDOCK_HOME", "/p"}, {"HOME", "/h"}}, true), "/p");
  EXPECT_EQ(*state_root({{"HOME", "/root"}}, true), "/var/lib/paddock");
  EXPECT_EQ(*state_root({{"HOME", "/h"}, {"XDG_STATE_HOME", "/s"}}, false), "/s/paddock");
  EXPECT_EQ(*state_root({{"HOME", "/h"}}, false), "/h/.local/state/paddock");
  EXPECT_EQ(state_root({}, false).error().reason, "NO_HOME");
  EXPECT_EQ(state_root({{"PADDOCK_HOME", "relative"}}, false).error().reason, "INVALID_HOME");
}

TEST(InstanceSettings, AreReadBackAndDamagedOnesAreAnError) {
  const std::string folder = testing::TempDir() + "paddock-settings";
  ASSERT_TRUE(os::make_dirs(folder).ok());
  const std::string path = folder + "/settings.json";
  (void)std::filesystem::remove(path);
  EXPECT_EQ(read_settings(path)->port, 0);
  ASSERT_TRUE(write_settings(path, {8443, "/mnt/big"}).ok());
  EXPECT_EQ(read_settings(path)->port, 8443);
  EXPECT_EQ(read_settings(path)->data_dir, "/mnt/big");
  EXPECT_FALSE(read_settings(path)->network);
  for (const char* text : {"", "{\"port\":80", "{\"port\":99999}"}) {
    ASSERT_TRUE(os::write_file_atomic(path, text).ok());
    const Error error = read_settings(path).error();
    EXPECT_EQ(error.reason, "SETTINGS_DAMAGED") << text;
    EXPECT_NE(error.message.find("settings.json"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("--data-dir"), std::string::npos) << error.message;
    EXPECT_EQ(error.describe().find(folder), std::string::npos) << error.describe();
  }
  (void)os::remove_tree(folder);
}

}  // namespace
}  // namespace paddock::cli
