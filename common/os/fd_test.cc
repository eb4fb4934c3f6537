#include "common/os/fd.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/os/lock_holder.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

TEST(Fd, ClosesOnceAndSurvivesMovingToItself) {
  Pipe pipe = std::move(*make_pipe());
  const int number = pipe.read.get();
  Fd& alias = pipe.read;
  pipe.read = std::move(alias);
  EXPECT_EQ(pipe.read.get(), number);
  pipe.read.reset();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(MakePipe, IsCloseOnExec) {
  const Pipe pipe = std::move(*make_pipe());
  EXPECT_EQ(::fcntl(pipe.read.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::fcntl(pipe.write.get(), F_GETFD), FD_CLOEXEC);
}

TEST(ReadAll, StopsAtTheLimit) {
  Pipe pipe = std::move(*make_pipe());
  ASSERT_TRUE(write_all(pipe.write.get(), "12345").ok());
  pipe.write.reset();
  EXPECT_EQ(read_all(pipe.read.get(), 4).error().reason, "FILE_TOO_LARGE");
}

TEST(LockFile, IsHeldOnceAndFreeAfterItsHolder) {
  const test::TempDir dir;
  EXPECT_FALSE(LockFile::held(dir / "lock"));
  {
    const Result<LockFile> lock = LockFile::acquire(dir / "lock");
    ASSERT_TRUE(lock.ok());
    EXPECT_TRUE(LockFile::held(dir / "lock"));
    EXPECT_EQ(LockFile::acquire(dir / "lock").error().reason, "LOCK_HELD");
    EXPECT_EQ(LockFile::acquire(dir / "lock").error().code, Code::kFailedPrecondition);
  }
  EXPECT_FALSE(LockFile::held(dir / "lock"));
  EXPECT_TRUE(LockFile::acquire(dir / "lock").ok());
}

TEST(LockFile, ItsHolderIsNamedByItsProcess) {
  const test::TempDir dir;
  EXPECT_EQ(lock_holder(dir / "lock"), "") << "there is no file";
  const Fd only_open(::open((dir / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(lock_holder(dir / "lock"), "") << "opened is not locked";
  EXPECT_FALSE(holds_lock(::getpid(), dir / "lock"));
  const Result<LockFile> lock = LockFile::acquire(dir / "lock");
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(lock_holder(dir / "lock"), cat(" (process ", ::getpid(), ")"));
  EXPECT_TRUE(holds_lock(::getpid(), dir / "lock"));
  EXPECT_FALSE(holds_lock(::getpid(), dir / "other"));
  for (const pid_t other : {0, 1, -1}) EXPECT_FALSE(holds_lock(other, dir / "lock")) << other;
}

TEST(LockFile, ItsHoldersAreFoundByTheFolderToo) {
  const test::TempDir dir;
  ASSERT_TRUE(make_dirs(dir / "a/b").ok());
  const Fd only_open(::open((dir / "a/open").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_THAT(lock_holders_below(dir / "a"), testing::IsEmpty());
  const Result<LockFile> lock = LockFile::acquire(dir / "a/b/lock");
  EXPECT_THAT(lock_holders_below(dir / "a"), testing::ElementsAre(::getpid()));
  EXPECT_THAT(lock_holders(dir / "a/b/lock"), testing::ElementsAre(::getpid()));
  EXPECT_THAT(lock_holders_below(dir / "a/b/lo"), testing::IsEmpty());
  EXPECT_THAT(lock_holders_below(dir / "nowhere"), testing::IsEmpty());
}

TEST(LockFile, IsReleasedByTheKernelWhenItsHolderIsKilled) {
  const test::TempDir dir;
  Pipe pipe = std::move(*make_pipe());
  const pid_t pid = ::fork();
  if (pid == 0) {
    const Result<LockFile> lock = LockFile::acquire(dir / "lock");
    (void)write_all(pipe.write.get(), lock.ok() ? "y" : "n");
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(pipe.read.get(), &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_TRUE(LockFile::held(dir / "lock"));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  EXPECT_FALSE(LockFile::held(dir / "lock"));
}

TEST(LockFile, DoesNotFollowALink) {
  const test::TempDir dir;
  dir.write("victim", "");
  ASSERT_EQ(::symlink("victim", (dir / "lock").c_str()), 0);
  EXPECT_FALSE(LockFile::acquire(dir / "lock").ok());
}

}  // namespace
}  // namespace paddock::os
