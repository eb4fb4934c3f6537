// The pure parts that make text: tables, widths, progress, errors, reports, help, completion.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/core/completion.h"
#include "cli/core/error_text.h"
#include "cli/core/help_text.h"
#include "cli/core/kubeconfig.h"
#include "cli/core/nearest.h"
#include "cli/core/object_table.h"
#include "cli/core/output_format.h"
#include "cli/core/progress.h"
#include "cli/core/run_report.h"
#include "cli/core/safe_output.h"
#include "cli/core/table.h"
#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Table, AlignsColumnsAndLeavesNoTrailingSpace) {
  EXPECT_EQ(render({{"NAME", "PHASE"}, {{"a", "Running"}, {"longer", ""}}}),
            "NAME     PHASE\n"
            "a        Running\n"
            "longer   -\n");
}

TEST(Table, CountsWideAndCombiningCharactersAsTheTerminalDoes) {
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);
  EXPECT_EQ(render({{}, {{"日本", "x"}, {"abcd", "y"}}}), "日本   x\nabcd   y\n");
}

TEST(Table, AVeryLongCellDoesNotPadTheOtherLines) {
  const std::string longest(250, 'x');
  EXPECT_EQ(render({{"PATH", "SIZE"}, {{longest, "1 B"}, {"a", "2 B"}}}),
            "PATH   SIZE\n" + longest + "   1 B\na      2 B\n");
}

TEST(Table, ACellCannotDriveTheTerminal) {
  EXPECT_THAT(render({{}, {{"a\x1b]0;title\x07", "b\nc"}}}), Not(HasSubstr("\x1b")));
  EXPECT_EQ(printable("b\nc\xe2\x80\xae"), "b c\xef\xbf\xbd");
}

TEST(Terminal, ShortensByColumns) {
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  EXPECT_EQ(shorten("abc", 3), "abc");
}

TEST(SafeOutput, KeepsColoursAndDropsTheRest) {
  EXPECT_EQ(terminal_safe("\x1b[31mred\x1b[0m\tok\r\n"), "\x1b[31mred\x1b[0m\tok\r\n");
  EXPECT_EQ(terminal_safe("\x1b]52;c;aGk=\x07"), "]52;c;aGk=");
  EXPECT_EQ(terminal_safe("\x1b[2J\xc2\x9b"
                          "31m"),
            "31m");
}

// What a line goes back over is gone, and not the half of another line.
TEST(SafeOutput, LetsAProgressBarGoBackAndNoTextOverdrawAnother) {
  EXPECT_EQ(terminal_safe("10%\r20%\n"), "10%\r\x1b[K20%\n");
  EXPECT_EQ(terminal_safe("rm -rf /\b\b\bok\n"), "rm -rf /\b\b\b\x1b[Kok\n");
  EXPECT_EQ(terminal_safe("a\r\nb\r\r\n"), "a\r\nb\r\x1b[K\r\n");
  EXPECT_EQ(terminal_safe("end\r"), "end\r\x1b[K");
}

TEST(SafeOutput, ShowsTextInTheOrderInWhichItIs) {
  EXPECT_EQ(terminal_safe("user \xe2\x80\xae\xe2\x81\xa6nimda\xe2\x81\xa9"),
            "user \xef\xbf\xbd\xef\xbf\xbdnimda\xef\xbf\xbd");
  EXPECT_EQ(terminal_safe("a\xe2\x80\x8f b\xe2\x80\x8e"), "a b");
  EXPECT_EQ(terminal_safe("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"), "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
  EXPECT_EQ(terminal_safe("a\xe2\x80\xa8"
                          "b"),
            "a\xef\xbf\xbd"
            "b");
}

TEST(Progress, IsReadFromALineOfItsOwn) {
  EXPECT_EQ(parse_progress("progress 3/10 reading\n"), (Progress{3, 10, "reading"}));
  EXPECT_EQ(parse_progress("progress 12/10"), (Progress{10, 10, ""}));
  for (const char* line : {"progress", "progress 3", "progress a/b", "progress 3/0",
                           "progress -1/3", "in progress 1/2"}) {
    EXPECT_FALSE(parse_progress(line)) << line;
  }
}

TEST(Progress, FitsTheTerminal) {
  EXPECT_EQ(progress_line("run", {5, 10, "x"}, 80), "run [############............] 50% 5/10 x");
  EXPECT_LE(display_width(progress_line("run", {5, 10, std::string(100, 'x')}, 40)), 39U);
}

TEST(Progress, IsOneRedrawnLineOnATerminalAndSparseElsewhere) {
  std::string shown;
  const auto write = [&](std::string_view text) { shown += text; };
  const Stream tty{write, true, false, 80};
  {
    ProgressDisplay display(tty, "run");
    display.show({1, 10, ""}, {0});
    display.show({2, 10, ""}, {50});
    display.show({3, 10, ""}, {200});
  }
  EXPECT_EQ(std::ranges::count(shown, '\n'), 0);
  EXPECT_THAT(shown, HasSubstr("3/10"));
  EXPECT_THAT(shown, Not(HasSubstr("2/10")));
  EXPECT_TRUE(shown.ends_with("\r\x1b[K"));
  shown.clear();
  const Stream plain{write, false, false, 80};
  ProgressDisplay display(plain, "run");
  for (int64_t i = 0; i <= 10; ++i) display.show({i, 100, ""}, {i * 1000});
  EXPECT_EQ(std::ranges::count(shown, '\n'), 2);
  EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
}

TEST(ErrorText, SaysWhatWhereAndWhatToDo) {
  const Stream plain;
  Error error{Code::kPermissionDenied,
              "LOCK_HELD",
              "the command is refused",
              {{"spec.command[1]", "-c runs code"}}};
  EXPECT_EQ(error_text(error, plain),
            "error: the command is refused [LOCK_HELD]\n"
            "  spec.command[1]: -c runs code\n"
            "hint: wait for it, or end it, and try again\n");
  EXPECT_THAT(error_text({Code::kUnavailable, "INSTANCE_NOT_UP", "x"}, plain),
              HasSubstr("paddock up"));
}

TEST(Nearest, FindsSlipsAndStaysSilentOtherwise) {
  EXPECT_EQ(nearest("lgos", command_names()), "logs");
  EXPECT_EQ(nearest("comp", command_names()), "compute");
  EXPECT_EQ(nearest("xyzzy", command_names()), "");
}

contracts::SandboxResult sample_result() {
  contracts::SandboxResult result;
  result.status = contracts::SandboxStatus::kOk;
  result.enforced["network"] = {wire::Value("none"), true, "network namespace",
                                contracts::EnforcementLevel::kKernel, ""};
  result.enforced["pids"] = {wire::Value(int64_t{32}), false, "",
                             contracts::EnforcementLevel::kNone, "no cgroup"};
  result.denials.push_back(
      {"connect", "192.0.2.1:443", "python3", "network.enabled", "set network.enabled", 2});
  return result;
}

TEST(RunReport, ShowsWhatWasEnforcedAndWhatWasDenied) {
  EXPECT_EQ(enforced_text(sample_result()),
            "CAPABILITY   REQUESTED   APPLIED   LEVEL    MECHANISM\n"
            "network      none        yes       kernel   network namespace\n"
            "pids         32          no        none      (no cgroup)\n");
  EXPECT_EQ(denials_text(sample_result()),
            "denied: connect on 192.0.2.1:443 by python3 (2 times)\n"
            "  rule:   network.enabled\n"
            "  remedy: set network.enabled\n");
  EXPECT_TRUE(worth_telling(sample_result()));
  EXPECT_FALSE(worth_telling(contracts::SandboxResult{}));
}

TEST(RunReport, ListsAFewThingsLeftOutAndCountsTheRest) {
  EXPECT_EQ(left_out_text({{"a.py", "rule 1"}, {"b", "rule 2"}, {"c", "rule 3"}}, 1),
            "a.py   rule 1\n… and 2 more\n");
}

TEST(Kinds, AreKnownByEveryName) {
  for (const char* word : {"run", "runs", "rn", "Run", "runs.paddock.dev"})
    EXPECT_EQ(*parse_kind(word), Kind::kRun) << word;
  EXPECT_EQ(*parse_kind("ws"), Kind::kWorkspace);
  EXPECT_EQ(*parse_kind("volumes"), Kind::kVolume);
  EXPECT_EQ(*parse_kind("grants"), Kind::kGrant);
  EXPECT_EQ(*parse_kind("tt"), Kind::kToolToken);
  EXPECT_EQ(*parse_kind("sandboxes"), Kind::kSandbox);
  EXPECT_EQ(*parse_kind("no"), Kind::kNode);
  EXPECT_EQ(parse_kind("pods").error().reason, "UNKNOWN_KIND");
}

TEST(Kinds, ATableShowsAgesAndLeavesUnknownFieldsOut) {
  const wire::Value run = wire::parse_json(R"({"metadata":{"name":"a","namespace":"default",
      "creationTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Running","nodeName":"n",
      "startedAt":"2026-01-01T00:00:05Z"}})")
                              .value();
  const WallTime now = *parse_time("2026-01-01T00:00:10Z");
  EXPECT_EQ(render(object_table(Kind::kRun, {run}, {}, now)),
            "NAME   PHASE     RC   NODE   DURATION   AGE\n"
            "a      Running   -    n      5s         10s\n");
  EXPECT_THAT(render(object_table(Kind::kRun, {run}, {.all_namespaces = true}, now)),
              HasSubstr("default     a"));
}

TEST(OutputFormat, IsOneOfFive) {
  EXPECT_EQ(*parse_output_format(""), OutputFormat::kTable);
  EXPECT_EQ(*parse_output_format("yaml"), OutputFormat::kYaml);
  EXPECT_EQ(parse_output_format("xml").error().reason, "UNKNOWN_OUTPUT_FORMAT");
}

TEST(Kubeconfig, HoldsTheServerItsCaAndTheToken) {
  const http::Endpoint endpoint{"https://127.0.0.1:8443", "", "PEM", "secret"};
  const std::string yaml =
      document_text(kubeconfig("paddock-a", endpoint, "default"), OutputFormat::kYaml);
  const wire::Value read = wire::parse_yaml(yaml).value();
  EXPECT_EQ(read.text("current-context"), "paddock-a");
  const wire::Value& cluster = read.find("clusters")->array()->front();
  EXPECT_EQ(cluster.text("cluster.server"), "https://127.0.0.1:8443");
  EXPECT_EQ(cluster.text("cluster.certificate-authority-data"), "UEVN");
  EXPECT_EQ(read.find("users")->array()->front().text("user.token"), "secret");
  EXPECT_EQ(read.find("contexts")->array()->front().text("context.namespace"), "default");
}

TEST(Help, NamesEveryCommandAndOption) {
  for (const CommandRow& row : command_table()) {
    EXPECT_THAT(overview_help(), HasSubstr("  " + row.path + " "));
    for (const OptionRow& option : row.options)
      EXPECT_THAT(command_help(row), HasSubstr("--" + long_name(option)));
  }
  EXPECT_THAT(usage_line(*find_command("compute")), HasSubstr("compute [options] DIR CMD…"));
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
  EXPECT_EQ(completion_script("tcsh").error().reason, "UNKNOWN_SHELL");
}

}  // namespace
}  // namespace paddock::cli
