// What files and sockets of ours are like beyond POSIX.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "common/os/file_names.h"
#include "common/os/socket.h"
#include "common/os/sync.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

bool closes_on_exec(int fd) { return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0; }

TEST(FileNames, AFileIsNamedOnceAndNeverOverAnother) {
  const test::TempDir folder;
  const Fd file = file_to_name(folder.path());
  if (!file.valid()) GTEST_SKIP() << "no files without a name on this file system";
  ASSERT_TRUE(write_all(file.get(), "text").ok());
  EXPECT_TRUE(list_dir(folder.path())->empty());
  ASSERT_EQ(name_file(file.get(), folder / "name"), 0);
  EXPECT_EQ(*read_file(folder / "name"), "text");
  const Fd other = file_to_name(folder.path());
  EXPECT_EQ(name_file(other.get(), folder / "name"), -1);
  EXPECT_EQ(*read_file(folder / "name"), "text");
}

TEST(FileNames, ANamelessFileIsInNoFolder) {
  const test::TempDir folder;
  const Fd file = nameless_file(folder.path());
  ASSERT_TRUE(file.valid());
  EXPECT_TRUE(closes_on_exec(file.get()));
  ASSERT_TRUE(write_all(file.get(), "text").ok());
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  EXPECT_EQ(*read_all(file.get(), 10), "text");
  struct stat info {};
  ASSERT_EQ(::fstat(file.get(), &info), 0);
  EXPECT_EQ(info.st_nlink, 0U);
  EXPECT_TRUE(list_dir(folder.path())->empty());
  EXPECT_FALSE(nameless_file(join_path(folder.path(), "missing")).valid());
}

TEST(FileNames, TwoFilesSwapTheirNamesOrKeepThem) {
  const test::TempDir folder;
  const std::string one = join_path(folder.path(), "one");
  const std::string other = join_path(folder.path(), "other");
  ASSERT_TRUE(write_file_atomic(one, "1").ok());
  EXPECT_FALSE(swap_names(one, other));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(*read_file(one), "1");
  ASSERT_TRUE(write_file_atomic(other, "2").ok());
  EXPECT_TRUE(swap_names(one, other));
  EXPECT_EQ(*read_file(one), "2");
  EXPECT_EQ(*read_file(other), "1");
}

TEST(FileNames, TheFolderOfAPath) {
  EXPECT_EQ(folder_of("/a/b"), "/a");
  EXPECT_EQ(folder_of("/a"), "/");
  EXPECT_EQ(folder_of("a/b"), "a");
  EXPECT_EQ(folder_of("a"), ".");
}

// A SIGPIPE would end this process.
TEST(Sockets, AreOursAloneAndOnlySayThatTheOtherSideHasLeft) {
  auto pair = make_socket_pair();
  ASSERT_TRUE(pair.ok());
  EXPECT_TRUE(closes_on_exec(pair->ours.get()));
  EXPECT_TRUE(closes_on_exec(pair->theirs.get()));
  EXPECT_EQ(send_some(pair->ours.get(), "ab"), 2);
  pair->theirs.reset();
  EXPECT_EQ(send_some(pair->ours.get(), "c"), -1);
  EXPECT_TRUE(errno == EPIPE || errno == ECONNRESET) << errno;
  const Fd single = make_socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_TRUE(single.valid());
  EXPECT_TRUE(closes_on_exec(single.get()));
}

TEST(Sync, ReachesTheDiskOrSaysWhyNot) {
  const test::TempDir folder;
  const Fd file(::open(join_path(folder.path(), "f").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_TRUE(write_all(file.get(), "x").ok());
  EXPECT_EQ(sync_data(file.get()), 0);
  EXPECT_EQ(sync_all(file.get()), 0);
  EXPECT_EQ(sync_file_system(file.get()), 0);
  EXPECT_EQ(sync_all(-1), -1);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace paddock::os
