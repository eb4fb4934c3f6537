#include "cli/client/new_file.h"

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cli {
namespace {
std::string text_of(const std::string& path) { return os::read_file(path).value(); }

TEST(NewFile, HasItsNameOnlyOnceItIsWhole) {
  const test::TempDir dir;
  dir.write("a", "old");
  {
    auto file = NewFile::make(dir / "a");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->add("half").ok());
    EXPECT_EQ(text_of(dir / "a"), "old");
    ASSERT_TRUE(file->begin_anew().ok());
    ASSERT_TRUE(file->add("new").ok());
    ASSERT_TRUE(file->finish().ok());
  }
  EXPECT_EQ(text_of(dir / "a"), "new");
  EXPECT_EQ(os::list_dir(dir.path())->size(), 1U);
}

TEST(NewFile, LeavesNothingWhereItWasNotFinished) {
  const test::TempDir dir;
  { ASSERT_TRUE(NewFile::make(dir / "a")->add("half").ok()); }
  EXPECT_TRUE(os::list_dir(dir.path())->empty());
}

TEST(NewFile, IsNotPutInPlaceOfAFolder) {
  const test::TempDir dir;
  dir.write("a/kept", "x");
  auto file = NewFile::make(dir / "a");
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->finish().ok());
  EXPECT_EQ(text_of(dir / "a/kept"), "x");
}

}  // namespace
}  // namespace paddock::cli
