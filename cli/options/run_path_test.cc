#include "cli/options/run_path.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

std::string read(const std::string& text) {
  const auto read = parse_run_path(text, "FROM");
  return read.ok() ? read->run + " " + read->path : read.error().reason.str();
}

TEST(RunPath, IsARunAndAPlaceInItsWorkspace) {
  EXPECT_EQ(read("train:out/model.ckpt"), "train out/model.ckpt");
  EXPECT_EQ(read("train:/workspace/out//a:b"), "train out/a:b");
  EXPECT_EQ(read("train:./out/"), "train out");
  EXPECT_EQ(read("run/train"), "run/train ");
  EXPECT_EQ(read("train:/workspace"), "train ");
}

std::string put(const std::string& text, const std::string& name = "f") {
  const auto read = parse_put_path(text, name, "TO");
  return read.ok() ? read->run + " " + read->path : read.error().reason.str();
}

TEST(RunPath, TakesAFileUnderItsOwnNameWhereAFolderIsNamed) {
  EXPECT_EQ(put("train:"), "train f");
  EXPECT_EQ(put("train:/workspace"), "train f");
  EXPECT_EQ(put("train:data/"), "train data/f");
  EXPECT_EQ(put("train:data/g"), "train data/g");
  EXPECT_EQ(put("train:../"), "USAGE");
  EXPECT_EQ(put("train:data/", ".."), "USAGE");
}

TEST(RunPath, IsToldFromAFileHere) {
  for (const char* text : {"train:x", "run/train:x", "train:"}) EXPECT_TRUE(is_run_path(text));
  for (const char* text : {"x", "./train:x", "/tmp/a:b", "../a:b", "a/b"})
    EXPECT_FALSE(is_run_path(text)) << text;
}

TEST(RunPath, LeadsNowhereElse) {
  for (const char* text : {"train:../x", "train:a/../../x", "train:/etc/passwd", ":x", "",
                           "train:/workspaces", "train:/workspace/../etc"})
    EXPECT_EQ(read(text), "USAGE") << text;
  for (const char* name : {"", ".", "..", "a/b", "/a"}) EXPECT_FALSE(is_plain_name(name)) << name;
  EXPECT_TRUE(is_plain_name("...a b"));
}

}  // namespace
}  // namespace paddock::cli
