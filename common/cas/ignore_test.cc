#include "common/cas/ignore.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"
#include "common/cas/wildmatch.h"
#include "common/os/process.h"
#include "tests/support/temp_dir.h"

namespace paddock::cas {
namespace {

struct Case {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(Wildmatch, FollowsTheTable) {
  for (const Case& c : std::initializer_list<Case>{
           {"foo", "foo", true},
           {"foo", "fo", false},
           {"", "", true},
           {"???", "foo", true},
           {"??", "foo", false},
           {"*", "foo", true},
           {"*", "", true},
           {"*", "a/b", false},
           {"f*", "foo", true},
           {"*f", "foo", false},
           {"*ob*a*r*", "foobar", true},
           {"\\*", "*", true},
           {"\\*", "a", false},
           {"foo\\", "foo", false},
           {"foo?bar", "foo/bar", false},
           {"foo[/]bar", "foo/bar", false},
           {"**/foo", "foo", true},
           {"**/foo", "a/b/foo", true},
           {"foo/**", "foo/a/b", true},
           {"foo/**", "foo", false},
           {"a/**/b", "a/b", true},
           {"a/**/b", "a/x/y/b", true},
           {"a/**b", "a/x/b", false},
           {"a**b", "a/b", false},
           {"**", "a/b/c", true},
           {"*/b", "a/b", true},
           {"*/b", "x/a/b", false},
           {"[a-c]x", "bx", true},
           {"[!a-c]x", "bx", false},
           {"[^a-c]x", "dx", true},
           {"[]]", "]", true},
           {"[!]a-]", "-", false},
           {"[a-]", "-", true},
           {"[-a]", "-", true},
           {"[\\]]", "]", true},
           {"[a", "a", false},
           {"[[:digit:]]", "7", true},
           {"[[:alpha:][:digit:]]", "_", false},
           {"[[:nonsense:]]", "n", false},
           {"[[:]", ":", true},
           {"[z-a]", "m", false},
       }) {
    EXPECT_EQ(wildmatch(c.pattern, c.text), c.matches) << c.pattern << " and " << c.text;
  }
}

TEST(Wildmatch, StaysFastOnPatternsMadeToBeSlow) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(wildmatch(pattern + "b", std::string(2000, 'a')));
  EXPECT_FALSE(wildmatch("**/" + join(std::vector<std::string>(100, "**/a"), "/") + "/b",
                         join(std::vector<std::string>(1000, "a"), "/")));
}

TEST(ParseIgnoreRules, ReadsCommentsEscapesAndSigns) {
  const std::vector<IgnoreRule> rules = parse_ignore_rules(
      "\xEF\xBB\xBF# comment\r\n\n\\#file\n!kept\nfolder/\n/top\na/b\nspace  \nspace\\ "
      "\ncr\r\n!\n/",
      "x/.gitignore");
  ASSERT_EQ(rules.size(), 8U);
  EXPECT_EQ(rules[0].pattern, "\\#file");
  EXPECT_EQ(rules[0].source, "x/.gitignore:3: \\#file");
  EXPECT_TRUE(rules[1].negated);
  EXPECT_TRUE(rules[2].folder_only);
  EXPECT_TRUE(rules[2].anywhere);
  EXPECT_FALSE(rules[3].anywhere);
  EXPECT_FALSE(rules[4].anywhere);
  EXPECT_EQ(rules[5].pattern, "space");
  EXPECT_EQ(rules[6].pattern, "space\\ ");
  EXPECT_EQ(rules[7].pattern, "cr");
}

TEST(IgnoreRules, LetLaterAndDeeperRulesWin) {
  IgnoreRules rules;
  rules.add("", parse_ignore_rules("*.log\n!important.log\nbuild/\n/docs/*.txt", "top"));
  rules.add("sub", parse_ignore_rules("!debug.log\nimportant.log", "sub"));
  EXPECT_NE(rules.excluded_by("a.log", false), nullptr);
  EXPECT_NE(rules.excluded_by("x/y/a.log", false), nullptr);
  EXPECT_EQ(rules.excluded_by("important.log", false), nullptr);
  EXPECT_EQ(rules.excluded_by("sub/debug.log", false), nullptr);
  EXPECT_EQ(rules.excluded_by("sub/important.log", false)->source, "sub:2: important.log");
  EXPECT_EQ(rules.excluded_by("subway/debug.log", false)->source, "top:1: *.log");
  EXPECT_NE(rules.excluded_by("x/build", true), nullptr);
  EXPECT_EQ(rules.excluded_by("x/build", false), nullptr);
  EXPECT_NE(rules.excluded_by("docs/a.txt", false), nullptr);
  EXPECT_EQ(rules.excluded_by("x/docs/a.txt", false), nullptr);
}

// Random rules and paths, decided by us and by the real thing.
class AgainstGit : public testing::Test {
 protected:
  static std::string pick(Random& random, const std::vector<std::string>& from) {
    return from[random.below(from.size())];
  }
  static std::string random_text(Random& random, const std::vector<std::string>& from,
                                 uint64_t most) {
    std::string out;
    for (uint64_t n = 1 + random.below(most); n > 0; --n) out += pick(random, from);
    return out;
  }

  // What `git check-ignore` prints for the paths, with git's own configuration kept out.
  std::optional<std::string> ask_git(const std::vector<std::string>& arguments,
                                     const std::string& input) {
    dir_.write("input", input);
    const os::Fd in(::open((dir_ / "input").c_str(), O_RDONLY | O_CLOEXEC));
    os::Pipe out = std::move(*os::make_pipe());
    os::SpawnOptions options;
    options.argv = {"/usr/bin/git", "-C", dir_ / "repo"};
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    options.env = {{"HOME", dir_.path()}, {"GIT_CONFIG_NOSYSTEM", "1"}, {"PATH", "/usr/bin:/bin"}};
    options.stdin_fd = in.get();
    options.stdout_fd = out.write.get();
    const Result<pid_t> pid = os::spawn(options);
    if (!pid) return std::nullopt;
    out.write.reset();
    std::string text = *os::read_all(out.read.get(), 1 << 20);
    ::waitpid(*pid, nullptr, 0);
    return text;
  }

  test::TempDir dir_;
};

TEST_F(AgainstGit, DecidesLikeGitOnRandomRules) {
  dir_.write("repo/x", "");
  if (!ask_git({"init", "-q"}, "")) GTEST_SKIP() << "git is not installed";
  const std::vector<std::string> pieces = {
      "a",   "b",   "c", "*",  "**", "?", "/",     "/",   "!", "\\", "[ab]",        "[!a]",
      "**/", "/**", " ", "a/", "#",  "-", "[a-c]", "\\*", "[", "]",  "[[:alpha:]]", "***"};
  SeededRandom random(42);
  for (int round = 0; round < 60; ++round) {
    std::string rules;
    for (int i = 0; i < 4; ++i) rules += random_text(random, pieces, 5) + "\n";
    std::string paths;
    std::vector<std::string> asked;
    for (int i = 0; i < 60; ++i) {
      std::string path = random_text(random, {"a", "b", "c", "ab", "*", "-"}, 2);
      for (uint64_t depth = random.below(4); depth > 0; --depth) {
        path += "/" + random_text(random, {"a", "b", "c", "]", "#"}, 2);
      }
      asked.push_back(path);
      paths += path + '\0';
    }
    dir_.write("repo/.gitignore", rules);
    const std::string answer = *ask_git({"check-ignore", "-z", "--stdin", "--no-index"}, paths);
    std::vector<std::string> theirs = split(answer, '\0');
    IgnoreRules ours;
    ours.add("", parse_ignore_rules(rules, ".gitignore"));
    for (const std::string& path : asked) {
      bool excluded = ours.excluded_by(path, false) != nullptr;
      for (size_t slash = path.find('/'); slash != std::string::npos;
           slash = path.find('/', slash + 1)) {
        excluded = excluded || ours.excluded_by(path.substr(0, slash), true) != nullptr;
      }
      const bool expected = std::find(theirs.begin(), theirs.end(), path) != theirs.end();
      EXPECT_EQ(excluded, expected) << path << " under\n" << rules;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace paddock::cas
