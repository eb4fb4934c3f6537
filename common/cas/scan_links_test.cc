// Which links of a folder come along, and that none is followed.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/cas/scan_test_support.h"

namespace paddock::cas {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A file that is exchanged for a link, over and over, while it is read: it is left out or the
// file is taken, and nothing beyond the link ever.
// proves: ORB-96
TEST(ScanFolder, NeverFollowsALinkThatIsSwappedIn) {
  const test::TempDir outside;
  outside.write("secret", "secret");
  const test::TempDir dir;
  dir.write("project/word", "open");
  const std::string at = dir / "project/word", other = dir / "other";
  ASSERT_EQ(::symlink((outside / "secret").c_str(), other.c_str()), 0);
  std::atomic<bool> stop = false;
  std::thread swapping([&] {
    while (!stop) ::syscall(SYS_renameat2, AT_FDCWD, at.c_str(), AT_FDCWD, other.c_str(), 2U);
  });
  int taken = 0, refused = 0;
  for (int i = 0; i < 20'000 && (i < 500 || taken == 0 || refused == 0); ++i) {
    const auto scan = scan_folder(dir / "project");
    ASSERT_TRUE(scan.ok()) << scan.error().describe();
    if (scan->tree.entries.empty()) {
      ++refused;
      continue;
    }
    ++taken;
    ASSERT_EQ(scan->tree.entries.size(), 1U);
    ASSERT_EQ(scan->tree.entries[0].digest, crypto::sha256_hex("open"));
  }
  stop = true;
  swapping.join();
  EXPECT_GT(taken, 0);
  EXPECT_GT(refused, 0);
}

TEST(ScanFolder, KeepsLinksToWhatTheRunWillMake) {
  const test::TempDir dir;
  link("out/models/best.bin", dir / "best");
  link("out", dir / "results");
  link("outside", dir / "other");
  ScanLimits limits;
  limits.asked_folders = {"out"};
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_THAT(links(scan), ElementsAre("best -> out/models/best.bin", "results -> out"));
  EXPECT_THAT(links(*scan_folder(dir.path())), IsEmpty());
}

TEST(ScanFolder, KeepsLinksToWhatComesAlong) {
  const test::TempDir dir;
  dir.write("runs/3/model.bin", "text");
  link("runs/3", dir / "latest");
  link("./latest//model.bin", dir / "best");
  link("../..", dir / "runs/3/up");
  link("up", dir / "runs/3/around");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre("runs/3/model.bin"));
  EXPECT_THAT(links(scan), ElementsAre("best -> latest/model.bin", "latest -> runs/3",
                                       "runs/3/around -> up", "runs/3/up -> ../.."));
  EXPECT_THAT(left_out(scan), IsEmpty());
}

// proves: ORB-96
TEST(ScanFolder, LeavesOutWhatIsNoFileAndLinksThatLeadElsewhere) {
  const test::TempDir outer;
  outer.write("secret", "s");
  const std::string folder = outer / "project";
  outer.write("project/real/file", "");
  outer.write("project/.env", "TOKEN=1");
  link("../secret", folder + "/up");
  link("/etc/passwd", folder + "/absolute");
  link(folder + "/real", folder + "/absolute-inside");
  link("nothing", folder + "/dangling");
  link("loop", folder + "/loop");
  link(".env", folder + "/config");
  link("real/../real", folder + "/round");
  ASSERT_EQ(::mkfifo((folder + "/fifo").c_str(), 0600), 0);
  const Scan scan = std::move(*scan_folder(folder));
  EXPECT_THAT(paths(scan), ElementsAre("real/file"));
  EXPECT_THAT(links(scan), IsEmpty());
  EXPECT_THAT(
      left_out(scan),
      testing::UnorderedElementsAre(
          "up by a link that leads out of the folder", "absolute by a link that is absolute",
          "absolute-inside by a link that is absolute",
          "dangling by a link that leads to nothing that is sent",
          "loop by a link that leads to itself",
          "config by a link that leads to nothing that is sent", testing::StartsWith("round by "),
          "fifo by a device, a FIFO or a socket",
          ".env by built-in: .env (secrets; a line !.env in .paddockignore sends it)"));
}

}  // namespace
}  // namespace paddock::cas
