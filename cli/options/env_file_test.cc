#include "cli/options/env_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using testing::HasSubstr;

Variables read_variables(std::string_view text) {
  const auto out = parse_env_file(text, "vars", {{"MINE", "own"}}, "--env-file");
  EXPECT_TRUE(out.ok()) << out.error().describe();
  return out.ok() ? *out : Variables{};
}

std::string env_fault(std::string_view text) {
  const auto out = parse_env_file(text, "vars", {}, "--from-env-file");
  EXPECT_FALSE(out.ok()) << text;
  if (out.ok()) return {};
  EXPECT_EQ(out.error().reason, "INVALID_ENV_FILE");
  EXPECT_EQ(out.error().causes[0].field, "--from-env-file") << "the option that was used";
  return out.error().message;
}

TEST(EnvFile, ReadsWhatToolsWrite) {
  EXPECT_EQ(read_variables("\xEF\xBB\xBF# a comment\r\n\r\nA=1\r\nexport B = two words # why\r\n"),
            (Variables{{"A", "1"}, {"B", "two words"}}));
  EXPECT_EQ(read_variables("A='keep # and \\n'\nB=\"a\\tb\\\"c\" # yes\nC=x#y\nD="),
            (Variables{{"A", "keep # and \\n"}, {"B", "a\tb\"c"}, {"C", "x#y"}, {"D", ""}}));
  EXPECT_EQ(read_variables("URL=https://x/?a=1&b=2\nMINE\nNOBODYS"),
            (Variables{{"URL", "https://x/?a=1&b=2"}, {"MINE", "own"}}));
}

TEST(EnvFile, NamesTheLineThatIsWrong) {
  EXPECT_THAT(env_fault("A=1\n9B=2"), HasSubstr("vars:2: `9B`"));
  EXPECT_THAT(env_fault("A-B=2"), HasSubstr("vars:1: `A-B`"));
  EXPECT_THAT(env_fault("=x"), HasSubstr("vars:1: ``"));
  EXPECT_THAT(env_fault("A=1\nLD_PRELOAD=x"), HasSubstr("vars:2: `LD_PRELOAD` would change how"));
  EXPECT_THAT(env_fault("PADDOCK_X=1"), HasSubstr("are Paddock's own"));
  EXPECT_THAT(env_fault("A='open"), HasSubstr("not closed"));
  EXPECT_THAT(env_fault("A=\"x\" y"), HasSubstr("something follows"));
}

TEST(EnvOption, IsAValueOrTheCallersOwn) {
  Variables out;
  ASSERT_TRUE(add_variable("A=b=c", {}, out).ok());
  ASSERT_TRUE(add_variable("MINE", {{"MINE", "own"}}, out).ok());
  ASSERT_TRUE(add_variable("NOBODYS", {}, out).ok());
  EXPECT_EQ(out, (Variables{{"A", "b=c"}, {"MINE", "own"}}));
  for (const char* text : {"", "=x", "a b=c", "1=2"})
    EXPECT_EQ(add_variable(text, {}, out).error().causes[0].field, "--env") << text;
}

}  // namespace
}  // namespace paddock::cli
