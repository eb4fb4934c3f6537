#include "cli/client/run_tree.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using contracts::SessionFile;
using contracts::SessionFileList;

using Folders = std::map<std::string, std::vector<SessionFile>>;

ListFolder listing(const Folders& folders) {
  return [&folders](const std::string& path) -> Result<SessionFileList> {
    const auto found = folders.find(path);
    if (found == folders.end()) return Error{Code::kNotFound, "FILE_NOT_FOUND", "gone"};
    SessionFileList out;
    out.files = found->second;
    return out;
  };
}

SessionFile entry(const std::string& name, const std::string& type) { return {name, type, 1}; }

TEST(RunTree, HasTheFilesOfAllFoldersAndNoLinks) {
  const Folders folders = {
      {"", {entry("a", "file"), entry("to", "link"), entry("sub", "folder"), entry("p", "other")}},
      {"sub", {entry("b c", "file"), entry("gone", "folder"), entry("empty", "folder")}},
      {"sub/empty", {}}};
  auto tree = read_run_tree(listing(folders));
  ASSERT_TRUE(tree.ok());
  std::ranges::sort(tree->folders);
  EXPECT_EQ(tree->files, (std::vector<std::string>{"a", "sub/b c"}));
  EXPECT_EQ(tree->others, (std::vector<std::string>{"to", "p"}));
  EXPECT_EQ(tree->folders, (std::vector<std::string>{"sub/empty", "sub/gone"}));
  EXPECT_EQ(read_run_tree(listing({})).error().reason, "FILE_NOT_FOUND");
}

TEST(RunTree, ANameThatLeadsElsewhereEndsIt) {
  for (const char* name : {"..", ".", "", "a/b", "/etc"}) {
    const Folders folders = {{"", {entry(name, "file")}}};
    EXPECT_EQ(read_run_tree(listing(folders)).error().reason, "UNEXPECTED_ANSWER") << name;
  }
}

TEST(RunTree, IsBoundedInItsDepthAndItsNumberOfFiles) {
  size_t asked = 0;
  const auto endless = read_run_tree([&](const std::string&) -> Result<SessionFileList> {
    ++asked;
    SessionFileList one;
    one.files = {entry("deeper", "folder")};
    return one;
  });
  EXPECT_EQ(endless.error().reason, "TREE_TOO_DEEP");
  EXPECT_EQ(asked, kMostTreeDepth + 2);
  std::vector<SessionFile> many(kMostTreeEntries, entry("x", "file"));
  const Folders fits = {{"", many}};
  EXPECT_TRUE(read_run_tree(listing(fits)).ok());
  many.push_back(entry("y", "file"));
  const Folders too_many = {{"", many}};
  EXPECT_EQ(read_run_tree(listing(too_many)).error().reason, "TOO_MANY_FILES");
}

}  // namespace
}  // namespace paddock::cli
