#include "controller/admission/pytest_rules.h"

#include <gtest/gtest.h>

namespace paddock::admission {
namespace {

using Words = std::vector<std::string>;

const FileNames kPytestFiles = {"app.py", "conftest.py", "requirements.txt", "tests/a_test.py",
                                "tests/deep/b_test.py"};

std::string reason(const Words& argv) {
  const auto refusals = check_pytest_command(argv, kPytestFiles);
  return refusals.empty() ? "" : refusals[0].reason.str();
}

Words with(Words words) {
  words.insert(words.begin(), "pytest");
  return words;
}

// proves partly: VLT-02
TEST(PytestRules, TakePytestItsHarmlessOptionsAndFilesOfTheWorkspace) {
  for (const Words& argv :
       {Words{"pytest"}, Words{"python3", "-m", "pytest"}, Words{"python", "-m", "pytest", "-v"},
        Words{"pytest", "-v", "tests"}, Words{"pytest", "-vvx", "tests/", "./app.py", "."},
        Words{"pytest", "tests/a_test.py::Case::test_x[a b-1]", "tests/deep/b_test.py"},
        Words{"pytest", "-k", "fast and not net", "-m", "slow", "-ra", "-n", "4"},
        Words{"pytest", "-kfast", "--maxfail=1", "--tb", "short", "--durations", "5"},
        Words{"pytest", "--junitxml=out/report.xml", "--cov=.", "--cov-report", "xml:out/c.xml"},
        Words{"pytest", "-p", "no:cacheprovider", "-pno:warnings", "--import-mode=importlib"}}) {
    EXPECT_EQ(reason(argv), "") << argv.back();
  }
}

TEST(PytestRules, TakeNoOtherProgram) {
  for (const Words& argv :
       {Words{"python3"}, Words{"python3", "tests/a_test.py"}, Words{"python3", "-m"},
        Words{"python3", "-m", "pip"}, Words{"python3", "-u", "-m", "pytest"},
        Words{"python3", "-mpytest"}, Words{"python3", "-c", "import os"}, Words{"py.test"},
        Words{"Pytest"}, Words{"/usr/bin/pytest"}, Words{"./pytest"}, Words{"bash"},
        Words{"python3 -m pytest"}, Words{""}}) {
    EXPECT_EQ(reason(argv), "COMMAND_NOT_ALLOWED") << argv.back();
  }
  EXPECT_EQ(reason({}), "COMMAND_REQUIRED");
}

TEST(PytestRules, LoadNoOtherConfigurationPluginOrRoot) {
  for (const Words& words : {Words{"-p", "evil"},
                             Words{"-pevil"},
                             Words{"-p"},
                             Words{"-p", "-x"},
                             Words{"-xp", "evil"},
                             Words{"-c", "other.ini"},
                             Words{"-cother.ini"},
                             Words{"--config-file=other.ini"},
                             Words{"-o", "addopts=-p evil"},
                             Words{"--override-ini=python_files=*"},
                             Words{"--rootdir=tests"},
                             Words{"--confcutdir=tests"},
                             Words{"--basetemp=tests"},
                             Words{"--pyargs", "os"},
                             Words{"-W", "error::evil.Warning"},
                             Words{"--pdb"},
                             Words{"--pdbcls=evil:Pdb"},
                             Words{"--pastebin=all"},
                             Words{"--debug"},
                             Words{"--"},
                             Words{"-"},
                             Words{"--conf", "x"},
                             Words{"-k"},
                             Words{"-k", "-pevil"},
                             Words{"--tb"},
                             Words{"-P", "no:x"},
                             Words{"--VERBOSE"},
                             Words{"--lf=yes"},
                             Words{"-v=1"}}) {
    EXPECT_EQ(reason(with(words)), "COMMAND_FLAG_BLOCKED") << words[0];
  }
}

// pytest reads the words of such a file as if they stood here, wherever the word stands.
TEST(PytestRules, ReadNoWordsFromAFile) {
  for (const Words& words :
       {Words{"@app.py"}, Words{"-k", "@app.py"}, Words{"--tb", "@app.py"}, Words{"-x", "@"}})
    EXPECT_EQ(reason(with(words)), "COMMAND_FLAG_BLOCKED") << words.back();
}

TEST(PytestRules, WantTestsThatWereUploaded) {
  for (const char* word : {"missing.py", "tests/c_test.py", "tes", "tests/a_test.py/x", "app", "",
                           "::x", "[x]", "missing.py::tests/a_test.py", "tests//a_test.py"})
    EXPECT_EQ(reason(with({word})), "TEST_NOT_FOUND") << word;
  const auto refusals = check_pytest_command(with({"-v", "gone"}), kPytestFiles);
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].word, 2u);
}

TEST(PytestRules, StayInsideTheWorkspaceAndKnowNoShell) {
  for (const Words& words :
       {Words{"--junitxml=/etc/x"}, Words{"--junitxml", "../x"}, Words{"--ignore=../.."},
        Words{"--cov-report", "xml:/tmp/x"}, Words{"-k", "/etc/passwd"}})
    EXPECT_EQ(reason(with(words)), "PATH_ESCAPES_WORKSPACE") << words.back();
  for (const char* word : {"/etc", "../x", "tests/../../x", "tests/..", "tests/./a_test.py"})
    EXPECT_EQ(reason(with({word})), "TEST_NOT_FOUND") << word;
  for (const char* word : {"a;b", "$(id)", "a|b", "a\nb", "`id`", "a>b"})
    EXPECT_EQ(reason(with({"-k", word})), "COMMAND_METACHARACTER") << word;
}

}  // namespace
}  // namespace paddock::admission
