// What processes hold without a name, by programs that hide it in each of the ways there are.
#ifdef __linux__
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/folder_use.h"
#include "common/os/nameless_test_support.h"
#include "common/os/socket.h"
#include "tests/support/ordinary_user.h"

namespace paddock::os {
namespace {

// A child in which `hold` goes on in a second thread, when the first one has ended. Killed at the
// end.
class Headless {
 public:
  explicit Headless(void (*hold)(const char*), const std::string& path)
      : hold_(hold), path_(path), pid_(::fork()) {
    if (pid_ < 0) std::abort();  // every process would be killed in its place
    if (pid_ > 0) return;
    std::thread([this] {
      hold_(path_.c_str());
      for (;;) ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);
  }
  ~Headless() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;
  // Once its first thread is a zombie and its second one waits.
  pid_t ready() const {
    const auto ended = [this] {
      const auto stat = read_file(cat("/proc/", pid_, "/stat"));
      return stat.ok() && stat->find(") Z ") != std::string::npos;
    };
    while (!ended() || exists(path_)) ::sched_yield();
    return pid_;
  }

 private:
  void (*hold_)(const char*);
  std::string path_;
  pid_t pid_;
};

void hold_open(const char* path) {
  (void)::open(path, O_RDONLY | O_CLOEXEC);
  ::unlink(path);
}

void hold_mapped(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  (void)::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  ::unlink(path);
}

TEST_F(WithoutAName, HasFilesOfAProcessWhoseFirstThreadHasEnded) {
  for (const auto hold : {hold_open, hold_mapped}) {
    if (hold == hold_mapped && ::geteuid() != 0) GTEST_SKIP() << "only root sees what is mapped";
    dir_.write("held", std::string(40'000, 'x'));
    const Headless process(hold, dir_ / "held");
    const FolderUse use = whole_use(root_.get(), {process.ready()}, {});
    EXPECT_GE(use.bytes, 40'000);
    EXPECT_LT(use.bytes, 80'000);
    EXPECT_FALSE(use.unreadable);
  }
}

// A child that executes it and waits.
pid_t started(const std::string& program) {
  Pipe closed = std::move(*make_pipe());
  const pid_t pid = ::fork();
  if (pid < 0) std::abort();  // every process would be killed in its place
  if (pid == 0) {
    ::execl(program.c_str(), "sleep", "infinity", nullptr);
    ::_exit(1);
  }
  closed.write.reset();
  char byte = 0;
  EXPECT_EQ(::read(closed.read.get(), &byte, 1), 0);
  return pid;
}

// Nobody but root sees what it has mapped.
TEST_F(WithoutAName, HasTheFileOfAProgramThatRuns) {
  const auto program = read_file("/bin/sleep");
  ASSERT_TRUE(program.ok());
  const auto is_counted = [&] {
    const std::string path = dir_ / "program";
    if (!write_file_atomic(path, *program, 0700).ok()) return false;
    const pid_t pid = started(path);
    ::unlink(path.c_str());
    const FolderUse use = whole_use(root_.get(), {pid}, {});
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return !use.unreadable && use.bytes >= static_cast<int64_t>(program->size());
  };
  EXPECT_EQ(test::as_ordinary_user(dir_.path(), is_counted), 0);
}

// An ordinary user may not look at a mapped file, and is told that there is one.
TEST_F(WithoutAName, SaysThatFilesAreMappedWhereOnlyRootMayLookAtThem) {
  struct stat info = {};
  ASSERT_EQ(::fstat(root_.get(), &info), 0);
  const auto is_told = [&] {
    ::prctl(PR_SET_DUMPABLE, 1);
    const std::string path = dir_ / "held";
    if (!write_file_atomic(path, std::string(40'000, 'x'), 0600).ok()) return false;
    const Holder holder([&] { return hold_mapped(path.c_str()), true; });
    const NamelessUse use = nameless_use(holder.pid(), info.st_dev);
    const Holder honest([] { return true; });
    return use.uncounted && use.files == 1 && !nameless_use(honest.pid(), info.st_dev).uncounted;
  };
  EXPECT_EQ(test::as_ordinary_user(dir_.path(), is_told), 0);
}

// Nobody looks into it but root. What has no more filters than the first process is ours.
TEST_F(WithoutAName, SaysThatAProcessDoesNotLetAnybodyLookIntoIt) {
  struct stat info = {};
  ASSERT_EQ(::fstat(root_.get(), &info), 0);
  const auto is_told = [&] {
    ::prctl(PR_SET_DUMPABLE, 1);
    struct Child {
      bool filtered;
      bool ends;  // and nobody waits for it: it holds nothing any more
      bool uncounted;
    };
    for (const Child& child :
         {Child{false, false, false}, {true, false, true}, {true, true, false}}) {
      const Holder holder([&] {
        Pipe ready = std::move(*make_pipe());
        char byte = 'x';
        if (::fork() != 0) {
          siginfo_t ended = {};
          if (child.ends) return ::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) == 0;
          return ::read(ready.read.get(), &byte, 1) == 1;
        }
        sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
        const sock_fprog program{1, &allow};
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (child.filtered) ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
        ::prctl(PR_SET_DUMPABLE, 0);
        if (child.ends) ::_exit(0);
        (void)!::write(ready.write.get(), &byte, 1);
        for (;;) ::pause();
      });
      if (nameless_use(holder.pid(), info.st_dev).uncounted != child.uncounted) return false;
    }
    return true;
  };
  EXPECT_EQ(test::as_ordinary_user(dir_.path(), is_told), 0);
}

// Empty ones take no blocks, and each an inode.
TEST_F(WithoutAName, HasEachThingWithoutANameOnceInTheNumberOfFiles) {
  dir_.write("named", "x");
  const Holder holder([&] {
    const std::string path = dir_ / "short-lived";
    for (int i = 0; i < 5; ++i) {
      const int file = ::open(path.c_str(), O_CREAT | O_RDWR, 0600);
      if (file < 0 || ::dup(file) < 0 || ::unlink(path.c_str()) != 0) return false;
    }
    return ::symlink("/", path.c_str()) == 0 && ::open(path.c_str(), O_PATH | O_NOFOLLOW) >= 0 &&
           ::unlink(path.c_str()) == 0 && ::mkfifo(path.c_str(), 0600) == 0 &&
           ::open(path.c_str(), O_RDWR) >= 0 && ::unlink(path.c_str()) == 0;
  });
  EXPECT_EQ(whole_use(root_.get(), {holder.pid()}, {}).files, 1 + 7);
}

// Threads may have a table of their own.
TEST_F(WithoutAName, GoesOnceThroughTheFilesThatThreadsShare) {
  if (::syscall(SYS_kcmp, ::getpid(), ::getpid(), KCMP_FILES, 0, 0) != 0)
    GTEST_SKIP() << "this kernel does not say which threads share them";
  constexpr int kThreads = 20;
  constexpr int kOpen = 100;
  const std::string path = dir_ / "short-lived";
  const Holder holder([&] {
    std::latch opened(kThreads);
    const auto hold = [&](bool own) {
      if (own) (void)::unshare(CLONE_FILES);
      if (own) (void)::open(path.c_str(), O_CREAT | O_RDWR, 0600);
      opened.count_down();
      for (;;) ::pause();
    };
    for (int i = 0; i < kOpen; ++i) (void)::dup(0);
    for (int i = 0; i < kThreads; ++i) std::thread(hold, i == kThreads / 2).detach();
    opened.wait();
    return ::unlink(path.c_str()) == 0;
  });
  struct stat info = {};
  ASSERT_EQ(::fstat(root_.get(), &info), 0);
  const NamelessUse use = nameless_use(holder.pid(), info.st_dev);
  EXPECT_EQ(use.files, 1);
  EXPECT_LT(use.looked_at, 5 * kOpen + 500) << "with what is mapped";
}

TEST_F(WithoutAName, SaysThatTheTimeForWhatHasNoNameWasOver) {
  const Fd kept = nameless("x");
  int looks = 0;
  const FolderCount how{.over = [&] { return ++looks > 3; }};
  const auto no_more = [] { FAIL() << "there is no time for that"; };
  EXPECT_TRUE(whole_use(root_.get(), {::getpid()}, how, no_more).unreadable);
  EXPECT_LT(looks, 10);
}

TEST_F(WithoutAName, HasFilesWithoutANameAndSaysThatSomeAreOnTheirWay) {
  const Fd kept = nameless(std::string(40'000, 'x'));
  EXPECT_EQ(folder_use(root_.get(), {})->bytes, 0);
  const auto whole = [&] { return whole_use(root_.get(), {::getpid()}, {}); };
  EXPECT_GE(whole().bytes, 40'000);
  EXPECT_LT(whole().bytes, 80'000) << "once, whoever holds it how often";
  EXPECT_FALSE(whole().unreadable);
  EXPECT_EQ(whole_use(root_.get(), {}, {}).bytes, 0);
  SocketPair ends = std::move(*make_socket_pair());
  char byte = 'x';
  iovec piece{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  const int sent = kept.get();
  std::memcpy(CMSG_DATA(head), &sent, sizeof sent);
  ASSERT_EQ(::sendmsg(ends.ours.get(), &message, 0), 1);
  EXPECT_TRUE(whole().unreadable);
  // The folder is gone through once: what comes there between the looks is not seen.
  dir_.write("before", std::string(40'000, 'x'));
  const FolderUse once = whole_use(root_.get(), {::getpid()}, {},
                                   [&] { dir_.write("between", std::string(400'000, 'x')); });
  EXPECT_TRUE(once.unreadable);
  EXPECT_EQ(once.files, 2) << "and the one without a name";
  ASSERT_TRUE(remove_tree(dir_ / "before").ok() && remove_tree(dir_ / "between").ok());
  // One that has arrived by the time of a later look was never hidden: all of it is counted then.
  int pauses = 0;
  const auto passing = whole_use(root_.get(), {::getpid()}, {}, [&] {
    if (++pauses == kLooks - 1) EXPECT_EQ(::recv(ends.theirs.get(), &byte, 1, 0), 1);
  });
  EXPECT_EQ(pauses, kLooks - 1);
  EXPECT_FALSE(passing.unreadable);
  EXPECT_GE(passing.bytes, 40'000);
}

}  // namespace
}  // namespace paddock::os
#endif
