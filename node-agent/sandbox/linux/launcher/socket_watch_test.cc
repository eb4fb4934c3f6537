#include "node-agent/sandbox/linux/launcher/socket_watch.h"

#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr int64_t kOneMiB = 1 << 20;
constexpr int kFree = 256;
constexpr const char* kNoNetwork = "no network of its own";

// A process in a network of its own that holds sockets until it is killed.
class SocketWatchTest : public testing::Test {
 protected:
  void TearDown() override {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  // False where this user may make no network.
  bool hold(const std::function<void()>& make) {
    os::Pipe said = os::make_pipe().value();
    child_ = fork();
    if (child_ == 0) {
      if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) _exit(1);
      make();
      (void)!write(said.write.get(), "R", 1);
      for (;;) pause();
    }
    said.write.reset();
    char byte = 0;
    return read(said.read.get(), &byte, 1) == 1;
  }
  // It takes two looks to be sure.
  bool is_over(int64_t most) const {
    const ManualClock clock;
    SocketWatch watch(child_, most, true);
    return !watch.look(clock) && watch.look(clock);
  }
  pid_t child_ = -1;
};

void make(int family, int type, int count) {
  for (int i = 0; i < count; ++i) (void)socket(family, type, 0);
}

TEST_F(SocketWatchTest, SocketsInNoListOfTheKernelCountForWhatTheyMayHold) {
  if (!hold([] { make(AF_INET, SOCK_DGRAM, kFree + 100); })) GTEST_SKIP() << kNoNetwork;
  EXPECT_TRUE(is_over(32 * kOneMiB));
  EXPECT_FALSE(is_over(64 * kOneMiB));
}

TEST_F(SocketWatchTest, SomeOfThemCountForNothing) {
  if (!hold([] { make(AF_INET, SOCK_DGRAM, kFree); })) GTEST_SKIP() << kNoNetwork;
  EXPECT_FALSE(is_over(kOneMiB));
}

TEST_F(SocketWatchTest, LocalSocketsDoNot) {
  if (!hold([] { make(AF_UNIX, SOCK_STREAM, 500); })) GTEST_SKIP() << kNoNetwork;
  EXPECT_FALSE(is_over(32 * kOneMiB));
}

}  // namespace
}  // namespace paddock::sandbox
