// A file as the command's standard input: what the command could read itself, and nothing else.
#include <sys/stat.h>
#include <unistd.h>

#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

class Stdin : public SandboxTest {
 protected:
  Finished cat(const std::string& file) {
    contracts::LaunchRequest launch = request({"cat"});
    launch.stdin_file = file;
    return run(launch);
  }
};
INSTANTIATE_TEST_SUITE_P(, Stdin, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Stdin, IsTheFilesContent) {
  const std::string path = workspace() + "/in";
  ASSERT_TRUE(os::write_file_atomic(path, std::string(100'000, 'x') + "end", 0644).ok());
  const Finished done = cat("/workspace/in");
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  EXPECT_EQ(done.out.size(), 100'003U);
}

TEST_P(Stdin, IsForReadingAndBlocks) {
  ASSERT_TRUE(os::write_file_atomic(workspace() + "/in", "abc", 0644).ok());
  contracts::LaunchRequest launch = request(
      {"python3", "-c",
       "import fcntl, os\nprint(fcntl.fcntl(0, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_NONBLOCK))\n"
       "try: os.write(0, b'x')\nexcept OSError as e: print(e.errno)"});
  launch.stdin_file = "/workspace/in";
  EXPECT_EQ(run(launch).out, "0\n9\n");
}

// Whoever made the workspace's files reaches nothing of the host through them.
TEST_P(Stdin, LeadsNowhereThatTheCommandMayNotGo) {
  const std::string secret = folder() + "/secret";
  ASSERT_TRUE(os::write_file_atomic(secret, "of the host", 0644).ok());
  for (const std::string& target :
       {secret, std::string("/etc/shadow"), std::string("/etc/machine-id")}) {
    const std::string link = workspace() + "/link";
    ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
    const Finished done = cat("/workspace/link");
    ASSERT_TRUE(done.result);
    EXPECT_NE(done.result->status, SandboxStatus::kOk) << target;
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.result->reason.find(secret), std::string::npos) << "no path of the host is told";
    ASSERT_EQ(::unlink(link.c_str()), 0);
  }
}

// Nobody waits for a pipe's other end, and a device has no end.
TEST_P(Stdin, IsNoPipeDeviceOrFolder) {
  ASSERT_EQ(::mkfifo((workspace() + "/pipe").c_str(), 0666), 0);
  for (const char* file :
       {"/workspace/pipe", "/dev/zero", "/dev/null", "/workspace", "/workspace/none",
        "/proc/self/fd/1", "in", "/workspace/../etc/passwd"}) {
    const Finished done = cat(file);
    ASSERT_TRUE(done.result) << file;
    EXPECT_EQ(done.result->status, SandboxStatus::kInternalError) << file;
    EXPECT_FALSE(done.started) << file << ": the command never ran";
  }
}

TEST_P(Stdin, IsOneFileOrOneThatGrows) {
  contracts::LaunchRequest launch = request({"cat"});
  launch.stdin_file = "/workspace/in";
  launch.input_file = workspace() + "/in";
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_THAT(done.result->reason, HasSubstr("INVALID_STDIN"));
}

}  // namespace
}  // namespace paddock::adversarial
