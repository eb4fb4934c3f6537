#include "common/contracts/tree.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

const std::string kDigest(64, 'a');

TreeEntry file(std::string path) { return {std::move(path), kDigest, 1, false}; }

// The faults of a tree as `path: message`, joined.
std::string faults_of(std::vector<TreeEntry> entries) {
  const auto tree = wire::decode<Tree>(wire::encode(Tree{std::move(entries)}));
  if (tree.ok()) return "accepted";
  std::vector<std::string> faults;
  for (const Cause& cause : tree.error().causes)
    faults.push_back(cat(cause.field, ": ", cause.message));
  return join(faults, "\n");
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
    EXPECT_NE(fault_of_path(path).find("must not have an empty, \".\" or \"..\" part"),
              std::string::npos)
        << path;
  }
  EXPECT_EQ(fault_of_path("/etc/passwd"), "entries[0].path: \"/etc/passwd\" must be relative");
  EXPECT_EQ(fault_of_path("//a"), "entries[0].path: \"//a\" must be relative");
}

TEST(Tree, RefusesNamesThatFoolTerminalsAndTools) {
  for (const char* path : {"a\nb", "a\x1b[31m", "a\tb", "a\x7F", "\x01"}) {
    EXPECT_NE(fault_of_path(path).find("must not have control characters"), std::string::npos);
  }
  EXPECT_NE(fault_of_path(std::string("a\0b", 3)).find("must not have control characters"),
            std::string::npos);
  EXPECT_NE(fault_of_path("a\\b").find("must not have a backslash"), std::string::npos);
  EXPECT_NE(fault_of_path("a\xFF").find("is not UTF-8"), std::string::npos);
  EXPECT_NE(fault_of_path("\xED\xA0\x80").find("is not UTF-8"), std::string::npos);
}

TEST(Tree, RefusesNamesThatAreTooLongOrTooDeep) {
  EXPECT_EQ(fault_of_path(std::string(255, 'a')), "accepted");
  EXPECT_NE(fault_of_path(std::string(256, 'a')).find("longer than 255 bytes"), std::string::npos);
  std::string deep = "a";
  for (int i = 1; i < 64; ++i) deep += "/a";
  EXPECT_EQ(fault_of_path(deep), "accepted");
  EXPECT_NE(fault_of_path(deep + "/a").find("deeper than 64 folders"), std::string::npos);
  EXPECT_EQ(fault_of_path(""), "entries[0].path: must have at least 1 bytes");
}

TEST(Tree, RefusesTheSamePathTwiceAndWrongOrder) {
  EXPECT_NE(faults_of({file("a"), file("a")})
                .find("entries[1].path: entries must be sorted by path, each once"),
            std::string::npos);
  EXPECT_NE(faults_of({file("b"), file("a")})
                .find("entries[1].path: entries must be sorted by path, each once"),
            std::string::npos);
}

TEST(Tree, RefusesNamesThatDifferOnlyByCase) {
  EXPECT_EQ(faults_of({file("README"), file("readme")}),
            "entries[1].path: \"readme\" differs from another entry only by case");
}

TEST(Tree, RefusesAFileThatIsAlsoAFolder) {
  EXPECT_EQ(faults_of({file("a"), file("a/b")}),
            "entries[1].path: \"a/b\" lies below another entry that is a file");
  EXPECT_EQ(faults_of({file("A"), file("a/b/c")}),
            "entries[1].path: \"a/b/c\" lies below another entry that is a file");
}

TEST(Tree, RefusesDigestsThatAreNone) {
  for (const std::string& digest :
       {std::string(64, 'A'), std::string(64, 'g'), std::string(63, 'a') + "/"}) {
    TreeEntry entry = file("a");
    entry.digest = digest;
    EXPECT_EQ(faults_of({entry}), "entries[0].digest: must be 64 lower-case hexadecimal digits");
  }
  TreeEntry entry = file("a");
  entry.digest = "ab";
  EXPECT_EQ(faults_of({entry}), "entries[0].digest: must have at least 64 bytes");
  entry = file("a");
  entry.size = -1;
  EXPECT_EQ(faults_of({entry}), "entries[0].size: must be at least 0");
}

TEST(Tree, NamesEveryHostileEntryAtOnce) {
  const std::string faults = faults_of({file("../a"), file("/b"), file("c\nd")});
  EXPECT_NE(faults.find("entries[0]"), std::string::npos);
  EXPECT_NE(faults.find("entries[2]"), std::string::npos);
}

}  // namespace
}  // namespace paddock::contracts
