// remove_tree and walk against trees that a hostile run could leave behind.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/ordinary_user.h"
#include "tests/support/sanitized.h"
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

// More at once than it remembers, in one folder and in one of those.
TEST(RemoveTree, RemovesMoreFoldersThanItRemembers) {
  const TempDir dir;
  for (const char* in : {"tree", "tree/0"}) {
    ASSERT_TRUE(make_dirs(dir / in).ok());
    for (int i = 0; i < 600; ++i) {
      const std::string folder = cat(dir / in, "/", i);
      (void)::mkdir(folder.c_str(), 0755);
      ASSERT_EQ(::mkdir((folder + "/below").c_str(), 0755), 0);
    }
  }
  dir.write("tree/0/0/below/file", "x");
  EXPECT_TRUE(remove_tree(dir / "tree").ok());
  EXPECT_FALSE(exists(dir / "tree"));
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
  const auto walked = walk(root.get(), [](const WalkEntry&) { return true; });
  ASSERT_FALSE(walked.ok());
  EXPECT_EQ(walked.error().reason, "TREE_TOO_DEEP");
}

// This process may take so much more memory from now on.
bool bound_memory(int64_t more) {
  const auto pages = read_file("/proc/self/statm");
  const auto now = pages.ok() ? parse_integer<int64_t>(split(*pages, ' ')[0]) : std::nullopt;
  if (!now) return false;
  const auto most = static_cast<rlim_t>(*now * ::sysconf(_SC_PAGESIZE) + more);
  const rlimit limit = {most, most};
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

// Each name has a path of 4 KiB: all paths together would be 40 MiB.
TEST(Walk, KeepsNamesAndNoPaths) {
  if (test::kSanitized) GTEST_SKIP() << "its checks reserve memory of their own";
  const TempDir dir;
  const std::string name(250, 'd');
  Fd at = std::move(*open_root(dir.path()));
  for (int depth = 0; depth < 16; ++depth) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0755), 0);
    at.reset(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  constexpr int kFiles = 10'000;
  for (int i = 0; i < kFiles; ++i) {
    ASSERT_EQ(::mknodat(at.get(), std::to_string(i).c_str(), S_IFREG | 0600, 0), 0);
  }
  EXPECT_EQ(test::as_ordinary_user(dir.path(),
                                   [&] {
                                     const Fd root = std::move(*open_root(dir.path()));
                                     int seen = 0;
                                     const auto count = [&](const WalkEntry&) {
                                       return ++seen > 0;
                                     };
                                     return bound_memory(16 << 20) &&
                                            walk(root.get(), count).ok() && seen == kFiles + 16;
                                   }),
            0);
}

TEST(Walk, PassesOverNamesThatItMayNotKeep) {
  const TempDir dir;
  for (int i = 0; i < 100; ++i) dir.write(cat("many/", i), "");
  dir.write("many/sub/below", "");
  dir.write("result", "");
  const Fd root = std::move(*open_root(dir.path()));
  std::set<std::string> seen;
  const auto see = [&](const WalkEntry& entry) { return seen.insert(entry.path).second; };
  const auto all = walk(root.get(), see);
  EXPECT_EQ(*all, 0);
  EXPECT_EQ(seen.size(), 104U);
  seen.clear();
  // The two names of the top may take half of it, and those in `many` half of the rest.
  const auto some = walk(root.get(), see, {.kept_bytes = 4096});
  EXPECT_TRUE(seen.contains("many") && seen.contains("result"));
  EXPECT_LT(seen.size(), 40U);
  EXPECT_GT(seen.size(), 20U);
  EXPECT_GE(*some + static_cast<int64_t>(seen.size()), 103);
}

TEST(Walk, IsInterruptedAlsoWhileItLists) {
  const TempDir dir;
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(::mknod((dir / std::to_string(i)).c_str(), S_IFREG | 0600, 0), 0);
  const Fd root = std::move(*open_root(dir.path()));
  int asked = 0;
  int seen = 0;
  const auto see = [&](const WalkEntry&) { return ++seen > 0; };
  ASSERT_TRUE(walk(root.get(), see, {.interrupted = [&] { return ++asked > 0; }}).ok());
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(asked, 2) << "in the listing, and before the first file";
  asked = 0;
  ASSERT_TRUE(walk(root.get(), see, {.interrupted = [&] { return ++asked > 4; }}).ok());
  EXPECT_EQ(seen, 2);
}

// As a run that lives does.
TEST(Walk, GoesOnWhereAFolderHasGone) {
  const TempDir dir;
  dir.write("a/b/c", "");
  dir.write("a/d", "");
  dir.write("e", "");
  const Fd root = std::move(*open_root(dir.path()));
  std::vector<std::string> seen;
  ASSERT_TRUE(walk(root.get(), [&](const WalkEntry& entry) {
                seen.push_back(entry.path);
                if (entry.path == "a/b/c") {
                  EXPECT_TRUE(remove_tree(dir / "a").ok());
                }
                return true;
              }).ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "a/b", "a/b/c", "e"}));
}

}  // namespace
}  // namespace paddock::os
