#include "controller/projects/files.h"

#include <gtest/gtest.h>

#include "common/base/percent.h"

namespace paddock::projects {
namespace {

contracts::Tree tree_of(const std::vector<std::string>& sorted_paths) {
  contracts::Tree tree;
  for (const std::string& path : sorted_paths)
    tree.entries.push_back({path, std::string(64, 'a'), 1, false});
  return tree;
}

// proves: OD-44, OD-101
TEST(Files, RefusesPathsThatOnlyAnAttackSends) {
  const contracts::Tree tree = tree_of({"a.html", "sub/b.css"});
  for (const char* path :
       {"../a.html", "sub/../a.html", "./a.html", "sub//b.css", "", "/a.html", "%2e%2e/a.html",
        "sub%2fb.css", "sub%5Cb.css", "%252e%252e/a.html", "C:a.html", "sub\\b.css", "a.html%00"}) {
    const auto found = find_file(tree, path);
    ASSERT_FALSE(found.ok()) << path;
    EXPECT_EQ(found.error().reason, "PATH_INVALID") << path;
  }
  EXPECT_EQ(find_file(tree, std::string("a\0.html", 7)).error().reason, "PATH_INVALID");
  EXPECT_EQ(find_file(tree, "missing").error().reason, "FILE_NOT_FOUND");
  EXPECT_EQ(find_file(tree, "sub").error().reason, "FILE_NOT_FOUND");
  EXPECT_TRUE(find_file(tree, "sub/b.css").ok());
}

TEST(Files, ShowsNothingThatIsHidden) {
  const contracts::Tree tree =
      tree_of({".env", ".git/config", "a.html", "a.html.artifact.json", "sub/.secret"});
  for (const char* path : {".env", ".git/config", "a.html.artifact.json", "sub/.secret"})
    EXPECT_EQ(find_file(tree, path).error().reason, "FILE_NOT_FOUND") << path;
}

// proves: OD-50, OD-52
TEST(Files, KnowsWhereToBeginAndDoesNotGuess) {
  EXPECT_EQ(entry_file(tree_of({"about.html", "index.html"})), "index.html");
  EXPECT_EQ(entry_file(tree_of({"Page.HTML", "sub/x.html"})), "Page.HTML");
  EXPECT_EQ(entry_file(tree_of({"a.html", "b.html"})), std::nullopt);
  EXPECT_EQ(entry_file(tree_of({"sub/index.html"})), std::nullopt);
  EXPECT_EQ(entry_file(tree_of({".index.html"})), std::nullopt);
  EXPECT_EQ(entry_file({}), std::nullopt);
}

// proves: OD-51, OD-94, OD-103
TEST(Files, EncodesEachSegmentOfAUrl) {
  EXPECT_EQ(raw_url("team a", "w", "screens/main page.html"),
            "/apis/paddock.dev/v1alpha1/namespaces/team%20a/workspaces/w/raw/screens/"
            "main%20page.html");
  EXPECT_EQ(percent_encode_path("a?b/c#d/ü%"), "a%3Fb/c%23d/%C3%BC%25");
}

TEST(Files, KnowsMediaTypesByTheLastExtension) {
  EXPECT_EQ(media_type("a.b.HTML").kind, "html");
  EXPECT_EQ(media_type("x/v.mp4").mime, "video/mp4");
  EXPECT_EQ(media_type("x.html/noext").mime, "application/octet-stream");
  EXPECT_EQ(media_type("html").kind, "other");
}

}  // namespace
}  // namespace paddock::projects
