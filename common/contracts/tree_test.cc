#include "common/contracts/tree.h"

#include <map>

#include <gtest/gtest.h>

#include "common/contracts/tree_path.h"
#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

const std::string kDigest(64, 'a');

TreeEntry file(std::string path) { return {std::move(path), kDigest, 1, false}; }

// The fields at fault, a line for each fault.
std::string tree_faults(Tree given) {
  const auto tree = wire::decode<Tree>(wire::encode(given));
  if (tree.ok()) return "accepted";
  std::vector<std::string> faults;
  for (const Cause& cause : tree.error().causes) faults.push_back(cause.field);
  return join(faults, "\n");
}
std::string faults_of(std::vector<TreeEntry> entries) {
  return tree_faults({std::move(entries), {}, {}});
}
std::string fault_of_link(std::string path, std::string target) {
  return tree_faults({{}, {{std::move(path), std::move(target)}}, {}});
}
std::string fault_of_path(std::string path) { return faults_of({file(std::move(path))}); }

TEST(Tree, AcceptsOrdinaryFolders) {
  EXPECT_EQ(faults_of({file(".gitignore"), file("a b.txt"), file("dir/a"), file("dir/b/c"),
                       file("z\xC3\xA9")}),
            "accepted");
  EXPECT_EQ(faults_of({}), "accepted");
  EXPECT_EQ(fault_of_path("..."), "accepted");
  EXPECT_EQ(fault_of_path("..a/b.."), "accepted");
}

TEST(Tree, RefusesPathsThatLeaveTheFolder) {
  for (const char* path :
       {"../a", "a/../b", "a/..", "..", ".", "./a", "a/./b", "a//b", "a/", "a/../../etc/passwd"}) {
    EXPECT_EQ(fault_of_path(path), "entries[0].path") << path;
  }
  EXPECT_EQ(fault_of_path("/etc/passwd"), "entries[0].path");
  EXPECT_EQ(fault_of_path("//a"), "entries[0].path");
}

TEST(Tree, RefusesNamesThatFoolTerminalsAndTools) {
  for (const char* path : {"a\nb", "a\x1b[31m", "a\tb", "a\x7F", "\x01"}) {
    EXPECT_EQ(fault_of_path(path), "entries[0].path");
  }
  EXPECT_EQ(fault_of_path(std::string("a\0b", 3)), "entries[0].path");
  EXPECT_EQ(fault_of_path("a\\b"), "entries[0].path");
  EXPECT_EQ(fault_of_path("a\xFF"), "entries[0].path");
  EXPECT_EQ(fault_of_path("\xED\xA0\x80"), "entries[0].path");
}

TEST(Tree, RefusesNamesThatAreTooLongOrTooDeep) {
  EXPECT_EQ(fault_of_path(std::string(255, 'a')), "accepted");
  EXPECT_EQ(fault_of_path(std::string(256, 'a')), "entries[0].path");
  std::string deep = "a";
  for (int i = 1; i < 64; ++i) deep += "/a";
  EXPECT_EQ(fault_of_path(deep), "accepted");
  EXPECT_EQ(fault_of_path(deep + "/a"), "entries[0].path");
  EXPECT_EQ(fault_of_path(""), "entries[0].path");
}

TEST(Tree, RefusesTheSamePathTwiceAndWrongOrder) {
  EXPECT_EQ(faults_of({file("a"), file("a")}).find("entries[1].path"), 0u);
  EXPECT_EQ(faults_of({file("b"), file("a")}).find("entries[1].path"), 0u);
}

TEST(Tree, RefusesNamesThatDifferOnlyByCase) {
  EXPECT_EQ(faults_of({file("README"), file("readme")}), "entries[1].path");
}

// What is told of the faults, a line for each.
std::string told_of(Tree given) {
  const auto tree = wire::decode<Tree>(wire::encode(given));
  std::vector<std::string> told;
  if (!tree.ok())
    for (const Cause& cause : tree.error().causes) told.push_back(cause.message);
  return join(told, "\n");
}

TEST(Tree, NamesBothThatDifferOnlyByCase) {
  EXPECT_EQ(told_of({{file("README"), file("Readme")}, {}, {}}),
            "\"Readme\" and \"README\" differ only by case");
  EXPECT_EQ(told_of({{file("a"), file("link")}, {{"A", "link"}}, {}}),
            "\"A\" and \"a\" differ only by case");
}

TEST(Tree, ShowsNoCharacterOfANameThatATerminalActsOn) {
  EXPECT_EQ(told_of({{file("new\nline\x1b[31m\xE2\x80\xAE")}, {}, {}}),
            "\"new\\nline\\x1b[31m\\u202e\" must not have control characters");
}

TEST(Tree, RefusesAFileThatIsAlsoAFolder) {
  EXPECT_EQ(faults_of({file("a"), file("a/b")}), "entries[1].path");
  EXPECT_EQ(faults_of({file("A"), file("a/b/c")}), "entries[1].path");
}

TEST(Tree, RefusesDigestsThatAreNone) {
  for (const std::string& digest :
       {std::string(64, 'A'), std::string(64, 'g'), std::string(63, 'a') + "/"}) {
    TreeEntry entry = file("a");
    entry.digest = digest;
    EXPECT_EQ(faults_of({entry}), "entries[0].digest");
  }
  TreeEntry entry = file("a");
  entry.digest = "ab";
  EXPECT_EQ(faults_of({entry}), "entries[0].digest");
  entry = file("a");
  entry.size = -1;
  EXPECT_EQ(faults_of({entry}), "entries[0].size");
}

TEST(Tree, NamesEveryHostileEntryAtOnce) {
  EXPECT_EQ(faults_of({file("../a"), file("/b"), file("c\nd")}),
            "entries[0].path\nentries[1].path\nentries[2].path");
}

TEST(Tree, AcceptsLinksThatStayInside) {
  for (const auto& [path, target] :
       std::vector<std::pair<const char*, const char*>>{{"a", "b"},
                                                        {"latest", "runs/3"},
                                                        {"s/up", ".."},
                                                        {"a/b/c", "../../x/y"},
                                                        {"l", "l"},
                                                        {"a/b/c", "../.."},
                                                        {"a", "..."},
                                                        {"a", "..b/c"}})
    EXPECT_EQ(fault_of_link(path, target), "accepted") << path << " -> " << target;
}

// proves: ORB-96
TEST(Tree, RefusesLinksThatLeadOut) {
  for (const auto& [path, target] :
       std::vector<std::pair<const char*, const char*>>{{"a", ".."},
                                                        {"a", "../x"},
                                                        {"a/b", "../.."},
                                                        {"a/b", "../../etc"},
                                                        {"a", "../../../.."}})
    EXPECT_EQ(fault_of_link(path, target), "links[0].target") << path << " -> " << target;
  EXPECT_EQ(fault_of_link("a", "/etc/passwd"), "links[0].target");
}

// Up behind a name would leave by way of another link: s/up -> .., x -> s/up/../..
TEST(Tree, RefusesLinksWhoseEndAnotherLinkDecides) {
  for (const char* target :
       {"s/..", "s/up/../..", "../s/..", "./s", ".", "s//t", "s/", "../", "s/./t"})
    EXPECT_NE(fault_of_link("d/x", target), "accepted") << target;
  for (const char* target : {"a\nb", "a\\b", "a\xFF"})
    EXPECT_NE(fault_of_link("x", target), "accepted") << target;
  EXPECT_NE(fault_of_link("x", std::string("a\0b", 3)), "accepted");
  EXPECT_NE(fault_of_link("x", ""), "accepted");
}

TEST(Tree, RefusesWhatLiesBelowALinkOrAnEmptyFolder) {
  EXPECT_EQ(tree_faults({{file("d/x")}, {{"d", "e"}}, {}}), "entries[0].path");
  EXPECT_NE(tree_faults({{file("D/x")}, {{"d", "e"}}, {}}), "accepted");
  EXPECT_NE(tree_faults({{}, {{"d", "e"}, {"d/x", "y"}}, {}}), "accepted");
  EXPECT_NE(tree_faults({{}, {{"d", "e"}}, {{"d/x"}}}), "accepted");
  EXPECT_NE(tree_faults({{file("d/x")}, {}, {{"d"}}}), "accepted");
  EXPECT_NE(tree_faults({{file("a")}, {{"a", "b"}}, {}}), "accepted");
  EXPECT_NE(tree_faults({{file("a")}, {}, {{"A"}}}), "accepted");
  EXPECT_NE(tree_faults({{}, {{"l", "m"}}, {{"l"}}}), "accepted");
  EXPECT_NE(tree_faults({{}, {}, {{"b"}, {"a"}}}), "accepted");
  EXPECT_NE(tree_faults({{}, {}, {{"../a"}}}), "accepted");
  EXPECT_EQ(tree_faults({{file("d/x")}, {{"d/y", "x"}}, {{"d/z"}}}), "accepted");
}

TEST(TreeLinks, AreFollowedByName) {
  const std::map<std::string, std::string, std::less<>> links = {
      {"latest", "runs/3"}, {"best", "latest/model.bin"}, {"s/up", ".."}, {"x", "y"}, {"y", "x"}};
  const auto ends = [&](std::string path) {
    return resolve_links(std::move(path), links).value_or("nowhere");
  };
  EXPECT_EQ(ends("a/b"), "a/b");
  EXPECT_EQ(ends("latest"), "runs/3");
  EXPECT_EQ(ends("best"), "runs/3/model.bin");
  EXPECT_EQ(ends("s/up/a"), "a");
  EXPECT_EQ(ends("s/up/s/up"), "");
  EXPECT_EQ(ends("x/z"), "nowhere");
}

}  // namespace
}  // namespace paddock::contracts
