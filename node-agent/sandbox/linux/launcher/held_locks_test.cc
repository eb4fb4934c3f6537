#include "node-agent/sandbox/linux/launcher/held_locks.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/passed_fds.h"
#include "node-agent/sandbox/linux/launcher/open_folders.h"

namespace paddock::sandbox {
namespace {

constexpr int64_t kAll = 100'000'000;

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
HeldMemory memory_held_by(const std::function<void()>& hold, const HeldMemory& most) {
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
  const HeldMemory out = held_memory(child, most, true);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return out;
}

int64_t held_by(const std::function<void()>& hold, int64_t most = kAll) {
  return memory_held_by(hold, {most, kAll}).locks;
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

int64_t kept_for(const std::function<void()>& open) {
  return memory_held_by(open, {kAll, kAll}).folder_bytes;
}

void open_folders(const char* path, int count, int flags = 0) {
  for (int i = 0; i < count; ++i) {
    if (open(path, O_RDONLY | O_DIRECTORY | flags) < 0) _exit(3);
  }
}

// Of which file system the build's folder is, nobody knows; that it is on no disk is unlikely.
const char* on_disk() { return "/usr"; }

TEST(OpenFolders, AreCountedByWhatTheKernelKeepsForThoseThatAreRead) {
  EXPECT_EQ(kept_for([] {}), 0);
  const int64_t one = kept_for([] { open_folders(on_disk(), 1); });
  ASSERT_GE(one, 20'000);
  EXPECT_EQ(kept_for([] { open_folders(on_disk(), 8); }), 8 * one);
  EXPECT_EQ(kept_for([] {
              open_folders(on_disk(), 8, O_PATH);
              open_folders("/proc/self", 8);
            }),
            0);
}

TEST(OpenFolders, ThatAChildHasFromItsParentAreCountedOnce) {
  const auto with_child = [](bool own) {
    return kept_for([own] {
      open_folders(on_disk(), 4);
      auto ready = os::make_pipe();
      if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (own) open_folders(on_disk(), 2);
        (void)!write(ready->write.get(), "!", 1);
        for (;;) pause();
      }
      char byte = 0;
      (void)!read(ready->read.get(), &byte, 1);
    });
  };
  EXPECT_EQ(with_child(false) * 6, with_child(true) * 4);
}

TEST(OpenFolders, UnderWayAreCountedAsTheLargest) {
  EXPECT_EQ(kept_for([] {
              int ends[2] = {};
              if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) _exit(3);
              char byte = 0;
              iovec part{&byte, 1};
              alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
              msghdr message{};
              message.msg_iov = &part;
              message.msg_iovlen = 1;
              message.msg_control = control.data();
              message.msg_controllen = control.size();
              os::attach_fds(message, ends);
              if (sendmsg(ends[0], &message, 0) != 1) _exit(3);
            }),
            2 * kBytesOfOneUnderWay);
}

std::array<int, 2> connected_by_tcp() {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* address = reinterpret_cast<sockaddr*>(&here);
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(server, address, size) != 0 || listen(server, 1) != 0 ||
      getsockname(server, address, &size) != 0 || connect(client, address, size) != 0)
    _exit(3);
  return {client, accept(server, nullptr, nullptr)};
}

std::array<int, 2> connected_locally() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) _exit(3);
  return ends;
}

std::string told_of_thread(int thread, const char* name) {
  const auto text = os::read_file(cat("/proc/self/task/", thread, "/", name), 256);
  return text.ok() ? *text : "";
}

// A thread sends to who receives nothing, until it waits for room, and the kernel says where.
void wait_for_room(const std::array<int, 2>& ends) {
  std::atomic<int> sender{0};
  std::thread([&sender, ends] {
    static std::array<char, 4096> bytes{};
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    sender = static_cast<int>(syscall(SYS_gettid));
    while (sendmsg(ends[0], &message, 0) > 0) {
    }
    _exit(3);
  }).detach();
  while (sender == 0) std::this_thread::yield();
  const std::string call = cat(SYS_sendmsg, " ");
  while (!told_of_thread(sender, "syscall").starts_with(call) ||
         told_of_thread(sender, "wchan") == "0")
    std::this_thread::yield();
}

// Whether the kernel says where a thread waits: it says 0 where it was built without.
bool tells_where_threads_wait() {
  auto pipe = os::make_pipe();
  std::atomic<int> reader{0};
  std::thread thread([&] {
    reader = static_cast<int>(syscall(SYS_gettid));
    char byte = 0;
    (void)!read(pipe->read.get(), &byte, 1);
  });
  const std::string call = cat(SYS_read, " ");
  while (reader == 0 || !told_of_thread(reader, "syscall").starts_with(call))
    std::this_thread::yield();
  const bool out = told_of_thread(reader, "wchan") != "0";
  pipe->write.reset();
  thread.join();
  return out;
}

TEST(OpenFolders, ThatAThreadMayBeSendingAreCountedWhereASocketTakesThem) {
  if (!tells_where_threads_wait()) GTEST_SKIP() << "the kernel does not say where threads wait";
  EXPECT_GE(kept_for([] { wait_for_room(connected_locally()); }), 5'000'000);
  EXPECT_EQ(kept_for([] { wait_for_room(connected_by_tcp()); }), 0);
}

}  // namespace
}  // namespace paddock::sandbox
