// Folders that processes hold without a name: each keeps the blocks of all names that it ever had.
#ifdef __linux__
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>

#include "common/base/text.h"
#include "common/os/folder_use.h"
#include "common/os/nameless_test_support.h"
#include "tests/support/small_disk.h"

namespace paddock::os {
namespace {

class FoldersWithoutAName : public WithoutAName {};

int64_t make_large_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return -1;
  const auto name = [&](int i) { return cat(path, "/", i, std::string(240, 'n')); };
  for (int i = 0; i < 200; ++i)
    ::close(::open(name(i).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  for (int i = 0; i < 200; ++i) ::unlink(name(i).c_str());
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_blocks * 512 : -1;
}

TEST_F(FoldersWithoutAName, AreCountedWhereAProcessStandsInThemOrHasThemOpen) {
  const std::string folder = dir_ / "large";
  const std::function<bool()> ways[] = {
      [&] { return ::chdir(folder.c_str()) == 0 && ::rmdir(folder.c_str()) == 0; },
      [&] {
        return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY) >= 0 && ::rmdir(folder.c_str()) == 0;
      },
      [&] { return ::open(folder.c_str(), O_PATH) >= 0 && ::rmdir(folder.c_str()) == 0; }};
  for (const auto& way : ways) {
    const int64_t bytes = make_large_folder(folder);
    ASSERT_GE(bytes, 0);
    const Holder holder(way);
    const FolderUse whole = whole_use(root_.get(), {holder.pid()}, {});
    EXPECT_EQ(whole.files, 1);
    EXPECT_EQ(whole.bytes, bytes);
    EXPECT_FALSE(whole.unreadable);
  }
}

// What is held keeps the folder that it was in, and that one those above it.
TEST_F(FoldersWithoutAName, AreCountedAboveWhatAProcessHolds) {
  const std::string folder = dir_ / "large";
  const std::string inner = folder + "/inner";
  const std::string held = inner + "/held";
  const int64_t bytes = make_large_folder(folder);
  ASSERT_GE(bytes, 0);
  const Holder holder([&] {
    return ::mkdir(inner.c_str(), 0700) == 0 && ::mkdir(held.c_str(), 0700) == 0 &&
           ::open(held.c_str(), O_PATH) >= 0 && ::rmdir(held.c_str()) == 0 &&
           ::rmdir(inner.c_str()) == 0 && ::rmdir(folder.c_str()) == 0 &&
           ::mkdir(folder.c_str(), 0700) == 0;
  });
  const FolderUse use = whole_use(root_.get(), {holder.pid()}, {});
  EXPECT_EQ(use.files, 3 + 1);
  EXPECT_GE(use.bytes, bytes);
}

// Whether the kernel tells in which folder a removed file was: root, where it can.
bool tells_of_folders(const std::string& folder) {
  struct statfs system = {};
  struct utsname kernel = {};
  int version[2] = {};
  return ::geteuid() == 0 && ::statfs(folder.c_str(), &system) == 0 &&
         system.f_type == EXT4_SUPER_MAGIC && ::uname(&kernel) == 0 &&
         std::sscanf(kernel.release, "%d.%d", &version[0], &version[1]) == 2 &&
         std::pair(version[0], version[1]) >= std::pair(6, 13);
}

TEST_F(FoldersWithoutAName, AreCountedWhereHeldFilesAndSocketsAreInThem) {
  if (!tells_of_folders(dir_.path())) GTEST_SKIP() << "this kernel does not tell of them";
  const std::string folder = dir_ / "large";
  const std::string inside = folder + "/held";
  const std::function<bool()> ways[] = {
      [&] { return ::open(inside.c_str(), O_CREAT | O_RDWR, 0600) >= 0; },
      [&] {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::memcpy(name.sun_path, inside.c_str(), inside.size());
        return ::bind(::socket(AF_UNIX, SOCK_DGRAM, 0), reinterpret_cast<sockaddr*>(&name),
                      sizeof name) == 0;
      }};
  for (const auto& way : ways) {
    const int64_t bytes = make_large_folder(folder);
    ASSERT_GE(bytes, 0);
    const Holder holder([&] {
      return way() && ::unlink(inside.c_str()) == 0 && ::rmdir(folder.c_str()) == 0 &&
             ::mkdir(folder.c_str(), 0700) == 0;
    });
    const FolderUse use = whole_use(root_.get(), {holder.pid()}, {});
    EXPECT_EQ(use.files, 2 + 1) << "and the one that has its name now";
    EXPECT_GE(use.bytes, bytes);
    ASSERT_EQ(::rmdir(folder.c_str()), 0);
  }
}

// One link is all that an overlay tells of a folder that lies in two layers.
TEST_F(FoldersWithoutAName, AreCountedWhereTheyLayInTwoLayers) {
  const std::string said = test::in_child([this]() -> std::string {
    if (!test::mount_disk(dir_.path(), "16m")) return test::kNoMounts;
    for (const char* name : {"lower/both", "upper", "work", "seen"})
      if (!make_dirs(dir_ / name).ok()) return "no folders";
    const std::string layers =
        cat("lowerdir=", dir_ / "lower", ",upperdir=", dir_ / "upper", ",workdir=", dir_ / "work");
    const std::string seen = dir_ / "seen";
    if (::mount("none", seen.c_str(), "overlay", 0, layers.c_str()) != 0) return test::kNoMounts;
    const Fd root = std::move(*open_root(seen));
    struct stat info = {};
    if (::fstat(root.get(), &info) != 0) return "no root";
    const Holder holder([&] {
      const std::string inside = seen + "/both/file";
      return ::mknod(inside.c_str(), S_IFREG | 0600, 0) == 0 && ::unlink(inside.c_str()) == 0 &&
             ::open((seen + "/both").c_str(), O_RDONLY | O_DIRECTORY) >= 0 &&
             ::rmdir((seen + "/both").c_str()) == 0;
    });
    return cat(nameless_use(holder.pid(), info.st_dev).files);
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "1");
}

}  // namespace
}  // namespace paddock::os
#endif
