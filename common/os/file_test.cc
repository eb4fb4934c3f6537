#include "common/os/file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

using test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ReadFile, ReadsWhatWasWrittenAndRefusesMoreThanTheLimit) {
  const TempDir dir;
  ASSERT_TRUE(write_file_atomic(dir / "a", "hello", 0640).ok());
  EXPECT_EQ(*read_file(dir / "a"), "hello");
  EXPECT_EQ(*read_file(dir / "a", 5), "hello");
  EXPECT_EQ(read_file(dir / "a", 4).error().reason, "FILE_TOO_LARGE");
}

TEST(ReadFile, NamesTheBaseNameOnly) {
  const TempDir dir;
  const Error error = read_file(dir / "missing").error();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.describe(), HasSubstr("missing"));
  EXPECT_THAT(error.describe(), Not(HasSubstr(dir.path())));
}

TEST(WriteFileAtomic, SetsTheModeWhateverTheUmaskAndLeavesNothingBeside) {
  const TempDir dir;
  const mode_t before = ::umask(077);
  ASSERT_TRUE(write_file_atomic(dir / "a", "1", 0644).ok());
  ASSERT_TRUE(write_file_atomic(dir / "a", "2", 0644).ok());
  ::umask(before);
  struct stat info = {};
  ASSERT_EQ(::stat((dir / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0644U);
  EXPECT_THAT(*list_dir(dir.path()), ElementsAre("a"));
  EXPECT_EQ(*read_file(dir / "a"), "2");
}

TEST(WriteFileAtomic, KeepsTheOldFileAndNoRestWhenItCannotReplaceIt) {
  const TempDir dir;
  ASSERT_TRUE(make_dirs(dir / "a/b").ok());
  EXPECT_FALSE(write_file_atomic(dir / "a", "x").ok());
  EXPECT_THAT(*list_dir(dir.path()), ElementsAre("a"));
}

TEST(MakeDirs, MakesParentsAndAcceptsExistingOnes) {
  const TempDir dir;
  EXPECT_TRUE(make_dirs(dir / "a/b/c").ok());
  EXPECT_TRUE(make_dirs(dir / "a/b/c").ok());
  EXPECT_TRUE(make_dirs(dir / "a/b/").ok());
  dir.write("file", "");
  EXPECT_FALSE(make_dirs(dir / "file").ok());
  EXPECT_FALSE(make_dirs(dir / "file/below").ok());
}

TEST(MakeDirs, SaysThatAFileSystemTakesNoFolders) {
  const Error error = make_dirs("/proc/paddock/data").error();
  EXPECT_EQ(error.code, Code::kFailedPrecondition);
  EXPECT_EQ(error.reason, "FOLDER_IMPOSSIBLE");
}

TEST(Paths, JoinAndBaseNameHandleTheEdges) {
  EXPECT_EQ(join_path("", "a"), "a");
  EXPECT_EQ(join_path("/", "a"), "/a");
  EXPECT_EQ(join_path("x", "a"), "x/a");
  EXPECT_EQ(base_name("/x/y/"), "y");
  EXPECT_EQ(base_name("/"), "/");
  EXPECT_EQ(base_name("y"), "y");
}

class Beneath : public testing::Test {
 protected:
  void SetUp() override {
    dir_.write("root/in/file", "inside");
    dir_.write("secret", "outside");
    ASSERT_EQ(::symlink("/etc/passwd", (dir_ / "root/absolute").c_str()), 0);
    ASSERT_EQ(::symlink("../secret", (dir_ / "root/up").c_str()), 0);
    ASSERT_EQ(::symlink("in", (dir_ / "root/folder").c_str()), 0);
    ASSERT_EQ(::symlink("in/file", (dir_ / "root/inner").c_str()), 0);
    root_ = std::move(*open_root(dir_ / "root"));
  }
  std::string reason(const std::string& path, int flags = O_RDONLY) {
    const Result<Fd> opened = open_beneath(root_.get(), path, flags);
    return opened ? "opened" : opened.error().reason.str();
  }
  TempDir dir_;
  Fd root_;
};

TEST_F(Beneath, OpensWhatLiesInside) {
  EXPECT_EQ(reason("in/file"), "opened");
  EXPECT_EQ(reason("in"), "opened");
  EXPECT_EQ(reason("in/../in/file"), "opened");
}

TEST_F(Beneath, RefusesEveryWayOut) {
  EXPECT_EQ(reason("../secret"), "PATH_OUTSIDE_ROOT");
  EXPECT_EQ(reason("in/../../secret"), "PATH_OUTSIDE_ROOT");
  EXPECT_EQ(reason("/etc/passwd"), "PATH_OUTSIDE_ROOT");
  EXPECT_EQ(reason(std::string("in/file\0x", 9)), "BAD_PATH");
  EXPECT_NE(reason(""), "opened");
}

// Whoever named it is at fault, and no retry helps.
TEST_F(Beneath, RefusesNamesThatNoFileCanHave) {
  const std::string name(256, 'n');
  for (const std::string& path : {name, "in/" + name, name + "/file"})
    EXPECT_EQ(reason(path), "BAD_PATH") << path;
  EXPECT_EQ(make_parents_beneath(root_.get(), name + "/file").error().reason, "BAD_PATH");
}

TEST_F(Beneath, RefusesLinksEvenOnesThatStayInside) {
  for (const char* path : {"absolute", "up", "inner", "folder/file", "folder"}) {
    EXPECT_EQ(reason(path), "LINK_IN_PATH") << path;
  }
}

TEST_F(Beneath, RefusesMagicLinks) {
  const Fd proc = std::move(*open_root("/proc"));
  for (const char* path : {"self/cwd/x", "self/root/etc", "thread-self/fd/0", "self/exe"}) {
    const Result<Fd> opened = open_beneath(proc.get(), path, O_RDONLY);
    ASSERT_FALSE(opened.ok()) << path;
    EXPECT_EQ(opened.error().reason, "LINK_IN_PATH") << path;
  }
  const Result<Fd> magic =
      open_beneath(proc.get(), cat(::getpid(), "/fd/", root_.get(), "/in"), O_RDONLY);
  EXPECT_EQ(magic.error().reason, "LINK_IN_PATH");
}

TEST_F(Beneath, CreatesFilesButNotThroughLinks) {
  EXPECT_TRUE(open_beneath(root_.get(), "in/new", O_WRONLY | O_CREAT | O_EXCL, 0600).ok());
  EXPECT_FALSE(open_beneath(root_.get(), "up", O_WRONLY | O_CREAT, 0600).ok());
  EXPECT_FALSE(open_beneath(root_.get(), "folder/new", O_WRONLY | O_CREAT, 0600).ok());
  EXPECT_EQ(*read_file(dir_ / "secret"), "outside");
}

TEST_F(Beneath, OpensRegularFilesOnlyAndNeverBlocks) {
  ASSERT_EQ(::mkfifo((dir_ / "root/fifo").c_str(), 0600), 0);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = dir_ / "root/socket";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  for (const char* name : {"fifo", "socket", "in"}) {
    const Result<Fd> opened = open_regular_beneath(root_.get(), name);
    ASSERT_FALSE(opened.ok()) << name;
    EXPECT_EQ(opened.error().reason, "NOT_A_REGULAR_FILE") << name;
  }
  EXPECT_EQ(open_regular_beneath(root_.get(), "inner").error().reason, "LINK_IN_PATH");
  const Fd dev = std::move(*open_root("/dev"));
  EXPECT_EQ(open_regular_beneath(dev.get(), "null").error().reason, "NOT_A_REGULAR_FILE");
  EXPECT_EQ(*read_all(open_regular_beneath(root_.get(), "in/file")->get(), 100), "inside");
}

TEST_F(Beneath, ShowsHardLinksInTheStat) {
  ASSERT_EQ(::link((dir_ / "secret").c_str(), (dir_ / "root/hard").c_str()), 0);
  EXPECT_EQ(open_regular_file_beneath(root_.get(), "hard")->stat.st_nlink, 2U);
  EXPECT_EQ(open_regular_file_beneath(root_.get(), "in/file")->stat.st_nlink, 1U);
}

TEST_F(Beneath, MakesParentsButNotThroughLinks) {
  EXPECT_TRUE(make_parents_beneath(root_.get(), "a/b/c/file").ok());
  EXPECT_TRUE(exists(dir_ / "root/a/b/c"));
  EXPECT_FALSE(exists(dir_ / "root/a/b/c/file"));
  for (const char* path :
       {"../x/file", "/x/file", "a/../../x/file", "a//b/file", "folder/x/file", "up/file"}) {
    EXPECT_FALSE(make_parents_beneath(root_.get(), path).ok()) << path;
  }
  EXPECT_FALSE(exists(dir_ / "x"));
  EXPECT_FALSE(exists(dir_ / "root/in/x"));
}

TEST(IsThere, TellsNoneFromWhatCannotBeKnown) {
  const TempDir dir;
  dir.write("file", "");
  EXPECT_TRUE(*is_there(dir / "file"));
  EXPECT_FALSE(*is_there(dir / "none"));
  EXPECT_FALSE(*is_there(dir / "file/below"));
  EXPECT_FALSE(is_there(dir / std::string(300, 'x')).ok());
}

TEST(Walk, VisitsInOrderParentsFirstAndSkipsWhatItIsTold) {
  const TempDir dir;
  for (const char* path : {"b/z", "b/a/1", "a.txt", "a/x", "skip/y"}) dir.write(path, "");
  ASSERT_EQ(::symlink("b", (dir / "link").c_str()), 0);
  std::vector<std::string> seen;
  const Fd root = std::move(*open_root(dir.path()));
  ASSERT_TRUE(walk(root.get(), [&](const WalkEntry& entry) {
                seen.push_back(entry.path);
                return entry.path != "skip";
              }).ok());
  EXPECT_THAT(seen, ElementsAre("a", "a/x", "a.txt", "b", "b/a", "b/a/1", "b/z", "link", "skip"));
}

}  // namespace
}  // namespace paddock::os
