// remove_tree and walk against trees that a hostile run could leave behind.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/ordinary_user.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

using test::as_ordinary_user;
using test::TempDir;

// A chain of folders, made by walking down, so that its path may be longer than any call accepts.
void make_deep(const std::string& top, int depth, const char* name) {
  ASSERT_TRUE(make_dirs(top).ok());
  Fd at = std::move(*open_root(top));
  for (int i = 0; i < depth; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name, 0755), 0);
    const Fd file(::openat(at.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    at = Fd(::openat(at.get(), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at.valid());
  }
}

TEST(RemoveTree, AcceptsAMissingOneAndRemovesAFile) {
  const TempDir dir;
  EXPECT_TRUE(remove_tree(dir / "missing").ok());
  dir.write("file", "x");
  EXPECT_TRUE(remove_tree(dir / "file").ok());
  EXPECT_FALSE(exists(dir / "file"));
}

TEST(RemoveTree, RemovesATreeDeeperThanAnyPathOrDescriptorTable) {
  const TempDir dir;
  make_deep(dir / "deep", 4200, "a-folder-name-of-some-length");
  EXPECT_TRUE(remove_tree(dir / "deep").ok());
  EXPECT_FALSE(exists(dir / "deep"));
}

TEST(RemoveTree, RemovesTheLinksAndNotWhatTheyPointAt) {
  const TempDir dir;
  dir.write("outside/kept", "x");
  dir.write("tree/a/b", "x");
  ASSERT_EQ(::symlink("../outside", (dir / "tree/link").c_str()), 0);
  ASSERT_EQ(::symlink((dir / "outside").c_str(), (dir / "tree/a/link").c_str()), 0);
  ASSERT_EQ(::symlink("loop", (dir / "tree/loop").c_str()), 0);
  EXPECT_TRUE(remove_tree(dir / "tree").ok());
  EXPECT_FALSE(exists(dir / "tree"));
  EXPECT_TRUE(exists(dir / "outside/kept"));
}

TEST(RemoveTree, RemovesOnlyTheLinkWhenTheTopIsOne) {
  const TempDir dir;
  dir.write("outside/kept", "x");
  ASSERT_EQ(::symlink("outside", (dir / "top").c_str()), 0);
  EXPECT_TRUE(remove_tree(dir / "top").ok());
  EXPECT_FALSE(exists(dir / "top"));
  EXPECT_TRUE(exists(dir / "outside/kept"));
}

TEST(RemoveTree, IsNotMisledByNamesLikeItsOwn) {
  const TempDir dir;
  dir.write("tree/.removing-0", "a file");
  dir.write("tree/.removing-1/x/y", "x");
  dir.write("tree/a/b/c", "x");
  dir.write("tree/a/b/.removing-2/z", "x");
  EXPECT_TRUE(remove_tree(dir / "tree").ok());
  EXPECT_FALSE(exists(dir / "tree"));
}

TEST(RemoveTree, OpensFoldersThatTheirOwnerClosed) {
  const TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  ASSERT_TRUE(make_dirs(dir / "mine", 0755).ok());
  EXPECT_EQ(as_ordinary_user(
                dir / "mine",
                [&] {
                  bool fine = make_dirs(dir / "mine/tree/a/b/c", 0755).ok();
                  for (const char* name : {"mine/tree/a/b/c", "mine/tree/a/b", "mine/tree/a"}) {
                    fine = fine && ::chmod((dir / name).c_str(), 0) == 0;
                  }
                  fine = fine && ::chmod((dir / "mine/tree").c_str(), 0) == 0;
                  return fine && remove_tree(dir / "mine/tree").ok() && !exists(dir / "mine/tree");
                }),
            0);
}

TEST(RemoveTree, StopsAtAMountAndLeavesItsContent) {
  const TempDir dir;
  dir.write("host/kept", "x");
  ASSERT_TRUE(make_dirs(dir / "tree/a/mnt").ok());
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto mounted = [&] {
      return ::unshare(CLONE_NEWNS) == 0 &&
             ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             ::mount((dir / "host").c_str(), (dir / "tree/a/mnt").c_str(), nullptr, MS_BIND,
                     nullptr) == 0;
    };
    if (!mounted()) ::_exit(77);
    const Status removed = remove_tree(dir / "tree");
    ::_exit(!removed && removed.error().reason == "MOUNT_IN_TREE" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(exists(dir / "host/kept"));
}

TEST(Walk, EndsWithAnErrorWhereTheKernelCannotOpenAnyDeeper) {
  const TempDir dir;
  make_deep(dir / "deep", 400, "a-folder-name-of-some-length");
  const Fd root = std::move(*open_root(dir / "deep"));
  const Status walked = walk(root.get(), [](const WalkEntry&) { return true; });
  ASSERT_FALSE(walked.ok());
  EXPECT_EQ(walked.error().reason, "TREE_TOO_DEEP");
}

}  // namespace
}  // namespace paddock::os
