#include "node-agent/sandbox/windows/command_line.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

// The C runtime's own rules, read the other way.
std::vector<std::string> parse(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  bool inside = false;
  bool any = false;
  size_t backslashes = 0;
  const auto flush_backslashes = [&] { word.append(std::exchange(backslashes, 0), '\\'); };
  for (const char c : line) {
    if (c == '\\') {
      ++backslashes, any = true;
    } else if (c == '"') {
      word.append(backslashes / 2, '\\');
      if (std::exchange(backslashes, 0) % 2 != 0) {
        word += '"';
      } else {
        inside = !inside;
      }
      any = true;
    } else if (!inside && (c == ' ' || c == '\t')) {
      flush_backslashes();
      if (any) out.push_back(std::exchange(word, {}));
      any = false;
    } else {
      flush_backslashes();
      word += c;
      any = true;
    }
  }
  flush_backslashes();
  if (any) out.push_back(word);
  return out;
}

TEST(WindowsCommandLine, QuotesByTheRulesOnRecord) {
  EXPECT_EQ(windows_command_line({"a.exe", "plain", "two words", "", R"(q"q)", R"(end\)",
                                  R"(space end\)", R"(\")", "a\tb"}),
            R"(a.exe plain "two words" "" "q\"q" end\ "space end\\" "\\\"" "a	b")");
}

TEST(WindowsCommandLine, ComesApartAgainAsItWasWhateverIsInIt) {
  const std::string alphabet = "\\\" \ta";
  for (size_t code = 0; code < 5 * 5 * 5 * 5 * 5 * 5; ++code) {
    std::string word;
    for (size_t rest = code, i = 0; i < 6; rest /= 5, ++i) word += alphabet[rest % 5];
    const std::vector<std::string> words = {"p.exe", word, "last", word.substr(0, code % 6)};
    ASSERT_EQ(parse(windows_command_line(words)), words) << word;
  }
}

TEST(WindowsCommandLine, RefusesWhatNoQuotingMakesSafe) {
  for (const char* name : {"x.bat", "X.CMD", "C:\\a\\b.Bat", "x.bat.", "x.cmd . ."})
    EXPECT_EQ(check_windows_program(name).error().reason, "BATCH_FILE") << name;
  EXPECT_EQ(check_windows_program("a\" b").error().reason, "BAD_PROGRAM");
  EXPECT_TRUE(check_windows_program("C:\\bat.exe").ok());
}

TEST(WindowsEnvironment, IsSortedAndKnowsThatNamesHaveNoCase) {
  EXPECT_EQ(*windows_environment({{"b", "2"}, {"A", "1"}, {"_", ""}}),
            std::string("A=1\0b=2\0_=\0\0", 12));
  EXPECT_EQ(*windows_environment({}), std::string("\0\0", 2));
  EXPECT_EQ(windows_environment({{"Path", "1"}, {"PATH", "2"}}).error().reason,
            "DUPLICATE_VARIABLE");
}

}  // namespace
}  // namespace paddock::sandbox
