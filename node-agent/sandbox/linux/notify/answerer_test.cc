#include "node-agent/sandbox/linux/notify/answerer.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr size_t kPage = 4096;

// A page that whoever reads it waits for, as nobody ever fills it; nullptr where there is none.
void* page_that_never_comes() {
  const auto faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
  uffdio_api api{};
  api.api = UFFD_API;
  if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0) return nullptr;
  void* page = mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uffdio_register range{};
  range.range = {reinterpret_cast<__u64>(page), kPage};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  return ioctl(faults, UFFDIO_REGISTER, &range) == 0 ? page : nullptr;
}

// Asks about sendmsg; -1 if the kernel does not let it.
int listen_for_sendmsg() {
  sock_filter code[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_sendmsg},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program{4, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

[[noreturn]] void ask(int tell) {
  void* message = page_that_never_comes();
  const int listener = message == nullptr ? -1 : listen_for_sendmsg();
  (void)!write(tell, &listener, sizeof listener);
  if (listener >= 0) syscall(SYS_sendmsg, socket(AF_INET, SOCK_DGRAM, 0), message, 0);
  _exit(0);
}

class AnswererTest : public testing::Test {
 protected:
  void SetUp() override {
    os::Pipe told = os::make_pipe().value();
    asker_ = fork();
    if (asker_ == 0) ask(told.write.get());
    int number = -1;
    ASSERT_EQ(read(told.read.get(), &number, sizeof number), ssize_t{sizeof number});
    if (number < 0) GTEST_SKIP() << "userfaultfd is not for this user";
    const os::Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, asker_, 0)));
    listener_.reset(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), number, 0)));
    ASSERT_TRUE(listener_.valid());
  }
  void TearDown() override {
    kill(asker_, SIGKILL);
    waitpid(asker_, nullptr, 0);
  }

  static inline SystemClock clock_;  // a thread that was left behind outlives its test
  pid_t asker_ = -1;
  os::Fd listener_;
};

// The thread that answers waits for a page of memory that never comes. Nobody else waits for that
// thread.
TEST_F(AnswererTest, AQuestionThatIsNeverAnsweredHoldsUpNobodyElse) {
  auto notifications =
      std::make_unique<Notifications>(LaunchChoices{}, NetworkReach{}, ToolView{}, clock_);
  notifications->listen_on(std::move(listener_));
  Answerer answerer(std::move(notifications), clock_);
  pollfd asked{answerer.fd(clock_.mono()), POLLIN, 0};
  ASSERT_EQ(poll(&asked, 1, -1), 1);
  answerer.handle(asked.revents, clock_.mono());
  answerer.stop();
  EXPECT_FALSE(answerer.take_listener().valid()) << "it was left behind with what it needs";
  EXPECT_EQ(waitpid(asker_, nullptr, WNOHANG), 0) << "the asker still waits";
  EXPECT_TRUE(answerer.found().take_denials().empty());
}

}  // namespace
}  // namespace paddock::sandbox
