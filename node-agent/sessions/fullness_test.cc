#include "node-agent/sessions/fullness.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/ordinary_user.h"
#include "tests/support/temp_dir.h"

namespace paddock::sessions {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

contracts::SandboxLimits limits(int64_t bytes, int64_t files) {
  contracts::SandboxLimits out;
  out.fs_bytes = wire::Quantity{bytes};
  out.file_count = files;
  return out;
}

TEST(Fullness, IsOverBeyondALimitAndFarOverBeyondTwice) {
  const auto most = limits(100, 10);
  EXPECT_EQ(fullness({.bytes = 100, .files = 10}, most), Fullness::kWithin);
  EXPECT_EQ(fullness({.bytes = 101, .files = 10}, most), Fullness::kOver);
  EXPECT_EQ(fullness({.bytes = 100, .files = 11}, most), Fullness::kOver);
  EXPECT_EQ(fullness({.bytes = 200, .files = 20}, most), Fullness::kOver);
  EXPECT_EQ(fullness({.bytes = 201, .files = 0}, most), Fullness::kFarOver);
  EXPECT_EQ(fullness({.bytes = 0, .files = 21}, most), Fullness::kFarOver);
  EXPECT_EQ(fullness({.bytes = 1LL << 60, .files = 1LL << 60}, {}), Fullness::kWithin);
  EXPECT_EQ(fullness({.unreadable = true}, most), Fullness::kFarOver) << "nobody can tell";
  EXPECT_EQ(fullness({.unreadable = true}, {}), Fullness::kWithin);
}

TEST(Fullness, OfAFolderNamesTheLimitAndTheWayOut) {
  const test::TempDir dir;
  ASSERT_TRUE(os::write_file_atomic(dir.path() + "/a", std::string(9000, 'x')).ok());
  EXPECT_EQ(fullness_of(dir.path(), limits(1 << 20, 5)).value(), Fullness::kWithin);
  EXPECT_EQ(fullness_of(dir.path(), limits(8192, 5)).value(), Fullness::kOver);
  const Error bytes = fullness_of(dir.path(), limits(4096, 5)).error();
  EXPECT_EQ(bytes.reason, "E_LIMIT_FS");
  EXPECT_NE(bytes.message.find("--rm"), std::string::npos);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(os::write_file_atomic(cat(dir.path(), "/f", i), "").ok());
  }
  EXPECT_EQ(fullness_of(dir.path(), limits(1 << 20, 5)).error().reason, "E_LIMIT_FILES");
  ASSERT_TRUE(os::make_dirs(dir.path() +
                            [] {
                              std::string out;
                              for (size_t i = 0; i <= os::kDeepestFolder; ++i) out += "/d";
                              return out;
                            }())
                  .ok());
  EXPECT_EQ(fullness_of(dir.path(), limits(1 << 20, 1000)).error().reason, "TREE_TOO_DEEP");
}

// As an ordinary user's agent finds what a command closed before it was ended; and what is closed
// to it for good.
TEST(Fullness, OfAFolderHasWhatIsHiddenFromWhoIsNotRoot) {
  const test::TempDir dir;
  EXPECT_EQ(test::as_ordinary_user(
                dir.path(),
                [&] {
                  const std::string closed = dir.path() + "/closed";
                  return os::make_dirs(closed, 0700).ok() &&
                         os::write_file_atomic(closed + "/f", std::string(9000, 'x')).ok() &&
                         ::chmod(closed.c_str(), 0) == 0 &&
                         fullness_of(dir.path(), limits(4096, 5)).error().reason == "E_LIMIT_FS" &&
                         fullness_of(dir.path(), limits(1 << 20, 5)).value() == Fullness::kWithin;
                }),
            0);
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a folder of another user";
  ASSERT_TRUE(os::make_dirs(dir.path() + "/of-root", 0700).ok());
  EXPECT_EQ(test::as_ordinary_user(dir.path(),
                                   [&] {
                                     const Error why =
                                         fullness_of(dir.path(), limits(1 << 20, 5)).error();
                                     return why.reason == "E_LIMIT_FS" &&
                                            why.message.find("--rm") != std::string::npos;
                                   }),
            0);
}

// Its top is opened as folders in it are.
TEST(Fullness, OfAFolderThatIsClosedItself) {
  const test::TempDir dir;
  const auto is_counted = [&] {
    const std::string top = dir.path() + "/top";
    if (!os::make_dirs(top, 0700).ok()) return false;
    if (!os::write_file_atomic(top + "/f", std::string(9000, 'x')).ok()) return false;
    for (const mode_t mode : {0U, 0400U, 0100U, 0200U}) {
      if (::chmod(top.c_str(), mode) != 0) return false;
      if (fullness_of(top, limits(4096, 5)).error().reason != "E_LIMIT_FS") return false;
      if (fullness_of(top, limits(1 << 20, 5)).value() != Fullness::kWithin) return false;
    }
    return true;
  };
  EXPECT_EQ(test::as_ordinary_user(dir.path(), is_counted), 0);
}

// Who was ended by a limit, or by others, was not counted any more.
TEST(Fullness, IsKnownAfterACommandThatEndedByItself) {
  SandboxResult result;
  for (const auto& [status, known] : {std::pair{SandboxStatus::kOk, true},
                                      {SandboxStatus::kFailed, true},
                                      {SandboxStatus::kLimitExceeded, false},
                                      {SandboxStatus::kTimeout, false},
                                      {SandboxStatus::kMemLimit, false},
                                      {SandboxStatus::kCanceled, false}}) {
    result.status = status;
    EXPECT_EQ(ended_within(result), known);
  }
}

}  // namespace
}  // namespace paddock::sessions
