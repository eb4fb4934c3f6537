#include "common/mcp/shell_words.h"

#include <gtest/gtest.h>

namespace paddock::mcp {
namespace {

TEST(ShellWords, AreFoundWhereAShellWouldSeeThem) {
  EXPECT_EQ(shell_word("echo hi > out.txt && echo there"), ">");
  EXPECT_EQ(shell_word("make && make test"), "&&");
  EXPECT_EQ(shell_word("cat a | wc -l"), "|");
  EXPECT_EQ(shell_word("make 2>&1"), "2>&1");
  EXPECT_EQ(shell_word("make >log.txt"), ">log.txt");
  EXPECT_EQ(shell_word("sort < in"), "<");
  EXPECT_EQ(shell_word("echo a; echo b"), "a;");
  EXPECT_EQ(shell_word("echo a ; echo b"), ";");
  EXPECT_EQ(shell_word("cd src"), "cd");
  EXPECT_EQ(shell_word("SEED=1 python3 a.py"), "SEED=1");
}

TEST(ShellWords, AreNoneInLinesThatMeanTheSameWithoutAShell) {
  for (const char* line :
       {"", "  ", "python3 job.py --fast", "sh -c 'make && make test > log'", "echo \"a && b\"",
        "grep '|' a.txt", "echo \\&\\&", "find . -name x -exec rm {} ;", "echo 'it''s > all'",
        "echo \"a \\\" > b\"", "awk -F; '{print $1}' a", "python3 -m pip install a==1 --x=y",
        "curl https://a.test/?x=1&y=2", "echo <html>", "./a=b/run"})
    EXPECT_EQ(shell_word(line), std::nullopt) << line;
}

}  // namespace
}  // namespace paddock::mcp
