#include "common/os/folder_use.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/file_times.h"
#include "tests/support/ordinary_user.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

using test::TempDir;

class UseOfAFolder : public testing::Test {
 protected:
  FolderUse use(const FolderCount& how = {}) const {
    const auto counted = folder_use(root_.get(), how);
    return counted.ok() ? *counted : FolderUse{.unreadable = true};
  }

  TempDir dir_;
  Fd root_ = std::move(*open_root(dir_.path()));
};

TEST_F(UseOfAFolder, CountsEachFileOnceAndEachName) {
  ASSERT_TRUE(make_dirs(dir_ / "sub").ok());
  dir_.write("a", std::string(40'000, 'x'));
  dir_.write("sub/b", std::string(40'000, 'x'));
  ASSERT_EQ(::link((dir_ / "a").c_str(), (dir_ / "again").c_str()), 0);
  ASSERT_EQ(::symlink("/", (dir_ / "sub/all").c_str()), 0);
  ASSERT_EQ(::truncate((dir_ / "sub/b").c_str(), int64_t{1} << 40), 0) << "holes take nothing";
  EXPECT_GE(use().bytes, 80'000);
  EXPECT_LT(use().bytes, 120'000);
  EXPECT_EQ(use().files, 5);
  EXPECT_FALSE(use().cut_off || use().unreadable);
}

TEST_F(UseOfAFolder, TellsWhatIsNewByATimeThatNoProgramSets) {
  dir_.write("b", std::string(40'000, 'x'));
  struct stat info = {};
  ASSERT_EQ(::stat((dir_ / "b").c_str(), &info), 0);
  const timespec old[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / "b").c_str(), old, 0), 0);
  const int64_t then = int64_t{changed_at(info).tv_sec} * 1'000'000'000 + changed_at(info).tv_nsec;
  EXPECT_GE(use({.since_ns = then - 1}).bytes, 40'000);
  EXPECT_EQ(use({.since_ns = INT64_MAX}).bytes, 0);
  EXPECT_EQ(use({.since_ns = INT64_MAX}).files, 0);
}

TEST_F(UseOfAFolder, SaysWhereItStopped) {
  for (int i = 0; i < 10; ++i) dir_.write(cat("file-", i), "x");
  EXPECT_TRUE(use({.most_names = 9}).cut_off);
  EXPECT_FALSE(use({.most_names = 10}).cut_off);
}

TEST_F(UseOfAFolder, SaysThatTheTimeWasOver) {
  dir_.write("file", "x");
  EXPECT_TRUE(use({.over = [] { return true; }}).cut_off);
  EXPECT_FALSE(use({.over = [] { return false; }}).cut_off);
}

// However long its path is; deeper than 200 folders it is not looked for.
TEST_F(UseOfAFolder, FindsWhatLiesDeep) {
  const std::string name(250, 'd');
  Fd at = std::move(*open_root(dir_.path()));
  for (int depth = 1; depth <= 201; ++depth) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at.reset(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (depth != 20) continue;
    const Fd file(::openat(at.get(), "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    const std::string bytes(40'000, 'x');
    ASSERT_EQ(::write(file.get(), bytes.data(), bytes.size()), 40'000);
    EXPECT_GE(use().bytes, 40'000);
    EXPECT_FALSE(use().unreadable);
  }
  EXPECT_TRUE(use().unreadable);
  EXPECT_TRUE(whole_use(root_.get(), {}, {}).unreadable);
}

// By whom they hide nothing: folders without x, without r, without any, and one in another.
TEST_F(UseOfAFolder, HasWhatItsOwnerClosedIfItMayOpenIt) {
  for (const bool may : {false, true}) {
    EXPECT_EQ(
        test::as_ordinary_user(
            dir_.path(),
            [&] {
              for (const char* name : {"a", "a/b", "c", "d"}) {
                const std::string folder = dir_ / cat(may, name);
                if (!make_dirs(folder, 0700).ok()) return false;
                if (!write_file_atomic(folder + "/f", std::string(40'000, 'x')).ok()) return false;
              }
              for (const auto& [name, mode] :
                   {std::pair<const char*, mode_t>{"a/b", 0}, {"a", 0}, {"c", 0400}, {"d", 0300}}) {
                if (::chmod((dir_ / cat(may, name)).c_str(), mode) != 0) return false;
              }
              const FolderUse seen = use({.open_closed = may});
              return may ? !seen.unreadable && seen.files == 16 && seen.bytes >= 320'000
                         : seen.unreadable && seen.bytes < 40'000;
            }),
        0);
  }
}

}  // namespace
}  // namespace paddock::os
