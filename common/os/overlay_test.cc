#include "common/os/overlay.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

class Overlay : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* each : {"lower/sub", "upper", "work"})
      ASSERT_TRUE(make_dirs(dir_ / each, 0755).ok());
    dir_.write("lower/kept", "old");
    dir_.write("lower/changed", "old");
    dir_.write("lower/removed", "old");
    dir_.write("lower/sub/file", "old");
    Result<Fd> mount = mount_layers({dir_ / "lower", dir_ / "upper", dir_ / "work"});
    if (!mount.ok()) GTEST_SKIP() << "no layered folders here: " << mount.error().message;
    writable_ = std::move(*mount);
  }
  static std::string text(int root, const char* name) {
    const Result<Fd> file = open_regular_beneath(root, name);
    return file ? *read_all(file->get(), 100) : file.error().reason.str();
  }
  void change() {
    const Fd root = std::move(writable_);
    for (const char* name : {"changed", "added"}) {
      const Fd file(::openat(root.get(), name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
      ASSERT_TRUE(write_all(file.get(), "new").ok());
    }
    ASSERT_EQ(::unlinkat(root.get(), "removed", 0), 0);
    ASSERT_EQ(::renameat(root.get(), "sub", root.get(), "moved"), 0);
  }
  test::TempDir dir_;
  Fd writable_;
};

TEST_F(Overlay, ChangesGoToTheUpperFolderAndTheLowerStaysAsItWas) {
  change();
  EXPECT_EQ(*read_file(dir_ / "lower/changed"), "old");
  EXPECT_EQ(*read_file(dir_ / "lower/removed"), "old");
  EXPECT_EQ(*read_file(dir_ / "lower/sub/file"), "old");
  EXPECT_FALSE(exists(dir_ / "lower/added"));
  EXPECT_EQ(*read_file(dir_ / "upper/changed"), "new");
}

TEST_F(Overlay, WhatWasChangedIsSeenAgainReadOnly) {
  change();
  const Fd root = std::move(*mount_layers({dir_ / "lower", dir_ / "upper", ""}));
  EXPECT_EQ(text(root.get(), "kept"), "old");
  EXPECT_EQ(text(root.get(), "changed"), "new");
  EXPECT_EQ(text(root.get(), "added"), "new");
  EXPECT_EQ(text(root.get(), "moved/file"), "old");
  for (const char* gone : {"removed", "sub"}) {
    struct stat info = {};
    EXPECT_NE(::fstatat(root.get(), gone, &info, AT_SYMLINK_NOFOLLOW), 0) << gone;
  }
  EXPECT_LT(::openat(root.get(), "more", O_WRONLY | O_CREAT | O_CLOEXEC, 0644), 0);
  EXPECT_EQ(errno, EROFS);
}

TEST_F(Overlay, FoldersWithSeparatorsInTheirNamesAreTakenAsTheyAre) {
  for (const char* each : {"a:b,c\\d/lower", "a:b,c\\d/upper", "a:b,c\\d/work"})
    ASSERT_TRUE(make_dirs(dir_ / each, 0755).ok());
  dir_.write("a:b,c\\d/lower/file", "here");
  const std::string base = dir_ / "a:b,c\\d";
  const auto mount = mount_layers({base + "/lower", base + "/upper", base + "/work"});
  ASSERT_TRUE(mount.ok()) << mount.error().message;
  EXPECT_EQ(text(mount->get(), "file"), "here");
  const auto again = mount_layers({base + "/lower", base + "/upper", ""});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(text(again->get(), "file"), "here");
}

TEST_F(Overlay, FoldersMayHaveLongPaths) {
  const std::string base = dir_ / (std::string(200, 'a') + "/" + std::string(200, 'b'));
  for (const char* each : {"/lower", "/upper", "/work"})
    ASSERT_TRUE(make_dirs(base + each, 0755).ok());
  ASSERT_TRUE(write_file_atomic(base + "/lower/file", "here").ok());
  const auto mount = mount_layers({base + "/lower", base + "/upper", base + "/work"});
  ASSERT_TRUE(mount.ok()) << mount.error().message;
  EXPECT_EQ(text(mount->get(), "file"), "here");
  const auto again = mount_layers({base + "/lower", base + "/upper", ""});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(text(again->get(), "file"), "here");
}

}  // namespace
}  // namespace paddock::os
