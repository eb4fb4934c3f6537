#include "common/os/start_reserve.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/os/fd.h"
#include "common/os/file.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

void fill_up(const std::string& path) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string bytes(4096, 'x');
  while (::write(file.get(), bytes.data(), bytes.size()) > 0) {
  }
}

TEST(StartReserve, IsKeptWhileThereIsRoomAndGivenUpOnceOnAFullDisk) {
  const test::TempDir folder;
  const std::string said = test::in_child([&folder]() -> std::string {
    if (!test::mount_disk(folder.path(), "16m")) return test::kNoMounts;
    if (make_room_to_start(folder.path()) != Reserve::kKept) return "not kept";
    if (!exists(folder / kStartReserve)) return "nothing is there";
    fill_up(folder / "filler");
    if (replace_file(folder / "written", "x").ok()) return "it was not full";
    if (make_room_to_start(folder.path()) != Reserve::kGivenUp) return "not given up";
    if (!replace_file(folder / "written", "x").ok()) return "there is no room";
    fill_up(folder / "filler");
    if (make_room_to_start(folder.path()) != Reserve::kMissing) return "given up twice";
    if (::unlink((folder / "filler").c_str()) != 0) return "no unlink";
    if (make_room_to_start(folder.path()) != Reserve::kKept) return "not kept again";
    return exists(folder / kStartReserve) ? "well" : "nothing is there again";
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "well");
}

TEST(StartReserve, IsKeptAndGivenUpOnADiskWithoutFilesLeftToo) {
  const test::TempDir folder;
  const std::string said = test::in_child([&folder]() -> std::string {
    if (!test::mount_disk(folder.path(), "64m,nr_inodes=500")) return test::kNoMounts;
    if (make_room_to_start(folder.path()) != Reserve::kKept) return "not kept";
    const auto fill_up_with_files = [&] {
      for (int i = 0;; ++i) {
        const std::string path = folder / ("filler" + std::to_string(i));
        if (!Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).valid()) return;
      }
    };
    fill_up_with_files();
    if (is_enough_to_start(*room_at(folder.path()))) return "it was not full";
    if (look_at_room(folder.path()) != Reserve::kGivenUp) return "nothing to give up";
    if (make_room_to_start(folder.path()) != Reserve::kGivenUp) return "not given up";
    for (const char* name : {"log", "self", "socket", "database-wal"})
      if (!replace_file(folder / name, "x").ok()) return "there is no room";
    fill_up_with_files();
    return make_room_to_start(folder.path()) == Reserve::kMissing ? "well" : "given up twice";
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "well");
}

TEST(StartReserve, AFolderThatIsNotThereIsNoError) {
  EXPECT_EQ(make_room_to_start("/no/such/folder"), Reserve::kKept);
}

}  // namespace
}  // namespace paddock::os
