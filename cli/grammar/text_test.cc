// What is made from the table of commands: help, completion, the nearest word.

#include "common/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/grammar/completion.h"
#include "cli/grammar/help_text.h"
#include "common/base/nearest.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;

TEST(Nearest, FindsSlipsAndStaysSilentOtherwise) {
  EXPECT_EQ(nearest("lgos", command_names()), "logs");
  EXPECT_EQ(nearest("comp", command_names()), "compute");
  EXPECT_EQ(nearest("xyzzy", command_names()), "");
}

TEST(Help, NamesEveryCommandAndOption) {
  for (const CommandRow& row : command_table()) {
    EXPECT_THAT(overview_help(), HasSubstr("  " + row.path + " "));
    for (const OptionRow& option : row.options)
      EXPECT_THAT(command_help(row), HasSubstr("--" + long_name(option)));
  }
  EXPECT_THAT(usage_line(*find_command("compute")), HasSubstr("compute [options] DIR CMD…"));
}

// A newcomer types what help shows: each command has an example, and each option says something.
TEST(Help, HasAnExampleOfEveryCommandAndWordsOfEveryOption) {
  for (const CommandRow& row : command_table()) {
    const bool served = row.path == "mcp";  // its example is a configuration
    const bool sourced = row.path == "completion" || row.path == "kubeconfig";
    if (!served && !sourced) {
      EXPECT_THAT("\n" + row.more, HasSubstr(cat("paddock ", row.path))) << row.path;
      EXPECT_THAT("\n" + row.more, HasSubstr("\n  ")) << row.path;
    }
    for (const OptionRow& option : row.options)
      EXPECT_GT(option.help.size(), 7U) << row.path << " " << option.names;
    for (const ArgumentRow& argument : row.arguments)
      EXPECT_GT(argument.help.size(), 7U) << row.path << " " << argument.name;
  }
}

TEST(Help, FillsParagraphsAndKeepsCommandsAsTheyStand) {
  CommandRow row;
  row.path = "x";
  row.more = cat(std::string(60, 'a'), " b\nc ", std::string(60, 'd'),
                 "\n\n  paddock x\n  paddock ", std::string(120, 'e'));
  EXPECT_THAT(command_help(row),
              HasSubstr(cat("\n\n", std::string(60, 'a'), " b c\n", std::string(60, 'd'),
                            "\n\n  paddock x\n  paddock ", std::string(120, 'e'), "\n\n")));
}

TEST(Completion, KnowsThreeShellsAndEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell).value();
    for (const std::string& name : command_names()) EXPECT_THAT(script, HasSubstr(name)) << shell;
    EXPECT_THAT(script, HasSubstr("artifact-dir")) << shell;
  }
  const std::string bash = completion_script("bash").value();
  EXPECT_THAT(bash, HasSubstr("'admin') words=\"token backup\"")) << "the next word of longer ones";
  EXPECT_THAT(bash, HasSubstr("'admin token') words=\"create list revoke\""));
  EXPECT_THAT(bash, HasSubstr("'audit') words=\"verify export checkpoint\"; flags=\"-n"))
      << "a command that others begin with";
  const std::string fish = completion_script("fish").value();
  EXPECT_THAT(fish, HasSubstr("-n '__fish_seen_subcommand_from admin; and "
                              "__fish_seen_subcommand_from token' -a create -d "));
  EXPECT_THAT(fish, HasSubstr("-n '__fish_seen_subcommand_from admin' -a token\n"));
  EXPECT_THAT(fish, testing::Not(HasSubstr("from admin' -a create")));
  EXPECT_THAT(fish, testing::Not(HasSubstr("-n '__fish_seen_subcommand_from create' -l ttl")))
      << "the options of one create are not those of another";
  EXPECT_EQ(completion_script("tcsh").error().reason, "UNKNOWN_SHELL");
}

}  // namespace
}  // namespace paddock::cli
