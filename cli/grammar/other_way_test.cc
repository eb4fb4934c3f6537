#include "cli/grammar/other_way.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

std::string way(std::map<std::string, std::vector<std::string>> values, Reason reason,
                const char* command = "compute") {
  values["DIR"] = {"my project"};
  return other_way({command, std::move(values)}, Error{Code::kInvalidArgument, reason, ""});
}

TEST(OtherWay, IsTheLineThatRunsWhatWasMeant) {
  EXPECT_EQ(way({{"CMD", {"python3 -m pkg.train --epochs 3"}}}, "COMMAND_FLAG_BLOCKED"),
            "paddock run 'my project' -- python3 -m pkg.train --epochs 3");
  EXPECT_EQ(way({{"CMD", {"python3", "m.py", "it's; a > b"}},
                 {"artifact-dir", {"out", "a b"}},
                 {"detach", {"true"}}},
                "COMMAND_METACHARACTER"),
            "paddock run 'my project' --artifact-dir out --artifact-dir 'a b' --detach -- python3 "
            "m.py 'it'\\''s; a > b'");
  EXPECT_EQ(way({{"CMD", {"make"}}, {"type", {"script"}}}, "COMMAND_NOT_ALLOWED", "build"),
            "paddock run 'my project' -- make");
}

TEST(OtherWay, IsOfAPlanToo) {
  EXPECT_EQ(
      way({{"PROGRAM", {"make", "all"}}, {"type", {"script"}}}, "COMMAND_NOT_ALLOWED", "plan"),
      "paddock run 'my project' -- make all");
  const Error refusal{Code::kInvalidArgument, "COMMAND_NOT_ALLOWED", ""};
  EXPECT_EQ(other_way({"plan", {{"PROGRAM", {"make"}}, {"type", {"script"}}}}, refusal),
            "paddock run -- make");
}

TEST(OtherWay, GivesALineForAShellToOne) {
  EXPECT_EQ(way({{"CMD", {"python3 a.py | sort > out"}}}, "COMMAND_METACHARACTER"),
            "paddock run 'my project' -- sh -c 'python3 a.py | sort > out'");
}

TEST(OtherWay, IsNoneWhereTheInputIsWrongEverywhere) {
  EXPECT_EQ(way({{"CMD", {"python3 no.py"}}}, "SCRIPT_NOT_FOUND"), "");
  EXPECT_EQ(way({{"CMD", {"x"}}}, "COMMAND_NOT_ALLOWED", "run"), "");
}

TEST(ConnectionWords, AreThoseThatWereGiven) {
  EXPECT_EQ(connection_words({"run", {{"name", {"x"}}}}), "");
  EXPECT_EQ(connection_words({"run", {{"token-file", {"a b"}}, {"server", {"http://x:1"}}}}),
            " --server http://x:1 --token-file 'a b'");
}

TEST(ShellWord, IsQuotedWhereAShellWouldReadIt) {
  EXPECT_EQ(shell_word("a/b-c=1,2"), "a/b-c=1,2");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("~"), "'~'");
}

}  // namespace
}  // namespace paddock::cli
