#include "node-agent/sandbox/linux/launcher/held_locks.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "common/os/fd.h"

namespace paddock::sandbox {
namespace {

constexpr int64_t kAll = 1'000'000;

void take(int how, int count) {
  const int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_len = 1;
  for (int i = 0; i < count; ++i) {
    range.l_start = i * 2L;
    if (fd < 0 || fcntl(fd, how, &range) != 0) _exit(3);
  }
}

// In a child that holds what `hold` takes meanwhile.
int64_t held_by(const std::function<void()>& hold, int64_t most = kAll) {
  auto pipe = os::make_pipe();
  const pid_t child = fork();
  if (child == 0) {
    hold();
    (void)!write(pipe->write.get(), "!", 1);
    for (;;) pause();
  }
  pipe->write.reset();
  char ready = 0;
  EXPECT_EQ(read(pipe->read.get(), &ready, 1), 1);
  const int64_t out = held_locks(child, most);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return out;
}

TEST(HeldLocks, OfManyFilesAndOfBothKindsAreCounted) {
  EXPECT_EQ(held_by([] {}), 0);
  EXPECT_EQ(held_by([] {
              take(F_SETLK, 3000);
              take(F_SETLK, 1);
              take(F_OFD_SETLK, 20);
            }),
            3021);
}

TEST(HeldLocks, OfThoseBelowAreCountedToo) {
  EXPECT_EQ(held_by([] {
              take(F_SETLK, 5);
              auto ready = os::make_pipe();
              if (fork() == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                take(F_SETLK, 7);
                (void)!write(ready->write.get(), "!", 1);
                for (;;) pause();
              }
              char byte = 0;
              (void)!read(ready->read.get(), &byte, 1);
            }),
            12);
}

TEST(HeldLocks, OfThreadsThatShareTheirFilesAreCountedOnce) {
  const auto with_thread = [](int flags) {
    return held_by([flags] {
      take(F_SETLK, 10);
      auto ready = os::make_pipe();
      std::thread([&] {
        if (flags != 0 && unshare(flags) != 0) _exit(3);
        take(F_SETLK, 100);
        (void)!write(ready->write.get(), "!", 1);
        for (;;) pause();
      }).detach();
      char byte = 0;
      (void)!read(ready->read.get(), &byte, 1);
    });
  };
  EXPECT_EQ(with_thread(0), 110);
  EXPECT_EQ(with_thread(CLONE_FILES), 110);
}

TEST(HeldLocks, AreNotCountedBeyondWhatIsAskedFor) {
  EXPECT_EQ(held_by([] { take(F_SETLK, 3000); }, 100), 101);
}

}  // namespace
}  // namespace paddock::sandbox
