#include "cli/options/names.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(Names, AreDnsLabelsAndTellFoldersApart) {
  EXPECT_EQ(slug("My Project_2"), "my-project-2");
  EXPECT_EQ(slug("--"), "x");
  EXPECT_EQ(slug("ab-cd", 3), "ab");
  EXPECT_EQ(workspace_name("/a/p"), workspace_name("/a/p"));
  EXPECT_NE(workspace_name("/a/p"), workspace_name("/b/p"));
  EXPECT_EQ(absolute_path("/a/b", "../c/./d"), "/a/c/d");
  EXPECT_EQ(absolute_path("/a", "/x//y/"), "/x/y");
}

}  // namespace
}  // namespace paddock::cli
