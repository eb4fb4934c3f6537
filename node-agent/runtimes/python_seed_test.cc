#include "node-agent/runtimes/python_seed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "node-agent/runtimes/environment.h"

namespace paddock::runtimes {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr time_t kLongAgo = 1'000'000'000;

struct stat stat_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info;
}

std::string host_path_of(const LaunchRequest& launch, const std::string& inside) {
  for (const auto& mount : launch.mounts)
    if (inside == mount.sandbox_path || inside.starts_with(mount.sandbox_path + "/"))
      return cat(mount.host_path, inside.substr(mount.sandbox_path.size()));
  return inside;
}

// As `python3 -m venv` leaves it: a program, a link to one, and a text of long ago.
void leave_a_seed(const std::string& folder) {
  ASSERT_TRUE(os::make_dirs(folder + "/bin", 0755).ok());
  ASSERT_TRUE(os::write_file_atomic(folder + "/bin/activate", "#!", 0755).ok());
  ASSERT_TRUE(os::write_file_atomic(folder + "/text", "text", 0640).ok());
  const std::array<timespec, 2> times = {timespec{kLongAgo, 0}, timespec{kLongAgo, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/text").c_str(), times.data(), 0), 0);
  ASSERT_EQ(::symlink("activate", (folder + "/bin/link").c_str()), 0);
}

// On this host and not in a sandbox, with the folders that its words mean there.
void copy_here(const LaunchRequest& launch) {
  os::SpawnOptions options;
  for (const std::string& word : launch.command)
    options.argv.push_back(word.starts_with('/') ? host_path_of(launch, word) : word);
  options.argv[0] = "/bin/cp";
  const Result<pid_t> pid = os::spawn(options);
  ASSERT_TRUE(pid.ok());
  int status = 0;
  ASSERT_EQ(::waitpid(*pid, &status, 0), *pid);
  ASSERT_EQ(status, 0);
}

class PythonSeed : public testing::Test {
 protected:
  PythonSeed() {
    std::string pattern = testing::TempDir() + "seed-XXXXXX";
    base = ::mkdtemp(pattern.data());
    for (const std::string folder : {"/ws", "/wheels"})
      EXPECT_TRUE(os::make_dirs(base + folder).ok());
    EXPECT_TRUE(os::write_file_atomic(base + "/ws/requirements.txt", "x==1.0\n").ok());
    EXPECT_TRUE(os::write_file_atomic(base + "/wheels/x.whl", "").ok());
    workspace = *os::open_root(base + "/ws");
    config.dir = base;
    config.wheel_dir = base + "/wheels";
    request.workspace = workspace.get();
    request.workspace_id = "default/demo";
    request.requirements = "requirements.txt";
    ports.launch = [this](const LaunchRequest& launch) { return do_for_real(launch); };
    ports.say = [](const std::string&) {};
    ports.quote = [](const std::string&) {};
    ports.wait = [] { return false; };
    ports.now = [this] { return clock.wall(); };
  }
  ~PythonSeed() override { (void)os::remove_tree(base); }

  Result<SandboxResult> do_for_real(const LaunchRequest& launch) {
    if (launch.command[0] == "python3") leave_a_seed(host_path_of(launch, "/venv"));
    if (launch.command[0] == "cp") {
      copy = launch.command;
      copy_here(launch);
    }
    SandboxResult result;
    result.status = SandboxStatus::kOk;
    return result;
  }

  std::string base;
  os::Fd workspace;
  EnvironmentConfig config;
  EnvironmentRequest request;
  EnvironmentPorts ports;
  ManualClock clock;
  std::vector<std::string> copy;
};

TEST_F(PythonSeed, IsCopiedWithItsLinksModesAndTimes) {
  const auto made = ensure_environment(config, request, ports);
  ASSERT_TRUE(made.ok()) << made.error().describe();
  EXPECT_TRUE(S_ISLNK(stat_of(made->path + "/bin/link").st_mode));
  EXPECT_EQ(stat_of(made->path + "/bin/activate").st_mode & 0777, 0755U);
  EXPECT_EQ(stat_of(made->path + "/text").st_mode & 0777, 0640U);
  EXPECT_EQ(stat_of(made->path + "/text").st_mtime, kLongAgo);
}

TEST_F(PythonSeed, IsCopiedInWordsThatEveryCpHas) {
  ASSERT_TRUE(ensure_environment(config, request, ports).ok());
  ASSERT_GE(copy.size(), 3U);
  for (const std::string& word : copy)
    EXPECT_FALSE(word.starts_with("--")) << word << " is a word of GNU's cp alone";
}

}  // namespace
}  // namespace paddock::runtimes
