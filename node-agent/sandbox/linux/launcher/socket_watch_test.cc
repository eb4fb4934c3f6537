#include "node-agent/sandbox/linux/launcher/socket_watch.h"

#include <netinet/in.h>
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
    child_ = -1;
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

int bound(int type, bool shares) {
  const int fd = socket(AF_INET, type, 0);
  const int on = shares ? 1 : 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  return bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 ? fd : -1;
}

void join(int fd, uint32_t first, uint32_t count) {
  constexpr int kLoopback = 1;
  constexpr uint32_t kGroups = 0xe1000000;  // 225.0.0.0
  for (uint32_t i = first; i < first + count; ++i) {
    const ip_mreqn group{{htonl(kGroups + i)}, {}, kLoopback};
    setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group);
  }
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

TEST_F(SocketWatchTest, APortThatIsSharedCounts) {
  for (const int type : {SOCK_DGRAM, SOCK_STREAM}) {
    const auto make = [&] {
      for (int i = 0; i < 600; ++i) {
        const int fd = bound(type, true);
        if (type == SOCK_STREAM) listen(fd, 1);
      }
    };
    if (!hold(make)) GTEST_SKIP() << kNoNetwork;
    EXPECT_TRUE(is_over(kOneMiB)) << type;
    EXPECT_FALSE(is_over(2 * kOneMiB)) << type;
    TearDown();
  }
}

TEST_F(SocketWatchTest, GroupsThatTheDeviceKeepsCount) {
  constexpr uint32_t kMost = 20;  // of one socket
  const auto make = [] {
    for (uint32_t i = 0; i < 500; ++i) join(bound(SOCK_DGRAM, false), i * kMost, kMost);
  };
  if (!hold(make)) GTEST_SKIP() << kNoNetwork;
  EXPECT_TRUE(is_over(3 * kOneMiB));
  EXPECT_FALSE(is_over(4 * kOneMiB));
}

}  // namespace
}  // namespace paddock::sandbox
