#include "controller/e2b/paths.h"

#include <gtest/gtest.h>

namespace paddock::e2b {
namespace {

std::string inner(std::string_view path) {
  const auto read = inner_path(path, "path");
  if (read.ok()) return *read;
  EXPECT_EQ(read.error().reason, "INVALID_FIELD");
  EXPECT_EQ(read.error().causes.at(0).field, "path");
  return "refused";
}

TEST(E2bPaths, AllThatBeginsAtHomeIsBeneathTheFolder) {
  for (const char* path :
       {"a/b", "./a/b", "/workspace/a/b", "/home/user/a/b", "~/a/b", "a//b/", "/workspace//a/./b"})
    EXPECT_EQ(inner(path), "a/b") << path;
  for (const char* path : {"", ".", "/workspace", "/workspace/", "/home/user", "~"})
    EXPECT_EQ(inner(path), "") << path;
  EXPECT_EQ(inner("~a"), "~a");
  EXPECT_EQ(inner("with space/ü.txt"), "with space/ü.txt");
}

TEST(E2bPaths, WhatLeadsElsewhereIsRefused) {
  for (const char* path :
       {"/", "/etc/passwd", "/tmp/x", "/workspacex", "/home/user2/x", "/home", "..", "a/../b",
        "/workspace/..", "/home/user/../root", "a\\b", "a\nb", "\xff\xfe", "/root"})
    EXPECT_EQ(inner(path), "refused") << path;
  EXPECT_EQ(inner(std::string_view("a\0b", 3)), "refused");
  EXPECT_EQ(inner(std::string(5000, 'a')), "refused");
}

TEST(E2bPaths, AFileThatIsNotThereIsNamedAsItsCallerDid) {
  const Error missing{Code::kNotFound, "FILE_NOT_FOUND", "there is no such file"};
  EXPECT_EQ(of_file(missing, "~/a").message, "`~/a`: there is no such file");
  EXPECT_EQ(of_file(missing, "~/a").reason, missing.reason);
  const Error gone{Code::kGone, "SESSION_ENDED", "it ended"};
  EXPECT_EQ(of_file(gone, "~/a").message, "it ended");
}

TEST(E2bPaths, AFileIsShownWhereCommandsFindIt) {
  EXPECT_EQ(shown_path(""), "/workspace");
  EXPECT_EQ(shown_path("a/b"), "/workspace/a/b");
  EXPECT_EQ(folder_of("a/b/c"), "a/b");
  EXPECT_EQ(folder_of("a"), "");
  EXPECT_EQ(name_of("a/b/c"), "c");
  EXPECT_EQ(name_of("a"), "a");
  const auto file = entry_info({"c", "file", 12}, "a/c");
  EXPECT_EQ(file.text("type"), "FILE_TYPE_FILE");
  EXPECT_EQ(file.text("size"), "12");
  EXPECT_EQ(file.text("path"), "/workspace/a/c");
  EXPECT_EQ(entry_info({"l", "link", 0}, "l").text("type"), "FILE_TYPE_SYMLINK");
  EXPECT_EQ(folder_info("").text("name"), "workspace");
  EXPECT_EQ(written_info("a/c").text("name"), "c");
}

}  // namespace
}  // namespace paddock::e2b
