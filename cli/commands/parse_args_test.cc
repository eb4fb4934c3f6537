#include "cli/commands/parse_args.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/grammar/other_commands.h"
#include "cli/grammar/other_options.h"
#include "cli/grammar/usage_errors.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Parsed parsed(const std::vector<std::string>& args) {
  const auto answer = parse_args(args);
  EXPECT_TRUE(answer.ok()) << answer.error().describe();
  return answer.ok() ? std::get<Parsed>(*answer) : Parsed{};
}

std::string complaint(const std::vector<std::string>& args) {
  const auto answer = parse_args(args);
  EXPECT_FALSE(answer.ok());
  if (answer.ok()) return "";
  EXPECT_EQ(answer.error().code, Code::kInvalidArgument);
  return answer.error().message;
}

std::string help(const std::vector<std::string>& args) {
  const auto answer = parse_args(args);
  EXPECT_TRUE(answer.ok());
  return std::get<HelpWanted>(*answer).text;
}

// proves: ORB-13
TEST(ParseArgs, TakesTheCommandAsOneStringWithOptionsBehind) {
  const Parsed compute =
      parsed({"compute", "dir", "python3 x.py --variant s2", "--requirements", "r.txt",
              "--artifact-dir", "a", "--artifact-dir=b", "-n", "team", "--detach"});
  EXPECT_EQ(compute.command, "compute");
  EXPECT_EQ(compute.text("DIR"), "dir");
  EXPECT_THAT(compute.list("CMD"), ElementsAre("python3 x.py --variant s2"));
  EXPECT_THAT(compute.list("artifact-dir"), ElementsAre("a", "b"));
  EXPECT_EQ(compute.text("namespace"), "team");
  EXPECT_TRUE(compute.has("detach"));
  EXPECT_FALSE(compute.has("verbose"));
}

TEST(ParseArgs, LeavesWhatFollowsTwoDashesAlone) {
  EXPECT_THAT(parsed({"sandbox", "run", "-v", "--memory", "1Gi", "--", "python3", "-c", "print(1)"})
                  .list("CMD"),
              ElementsAre("python3", "-c", "print(1)"));
  EXPECT_THAT(parsed({"compute", "d", "--detach", "--", "python3", "x", "--detach"}).list("CMD"),
              ElementsAre("python3", "x", "--detach"));
}

TEST(ParseArgs, GivesAProgramItsWordsAsTheyAre) {
  const Parsed run = parsed({"--instance", "lab", "run", "dir", "-e", "A=1", "--env", "B", "--cpus",
                             "2", "--", "sh", "-c", "a; b", "--", "", "--help", "-e"});
  EXPECT_EQ(run.text("DIR"), "dir");
  EXPECT_EQ(run.text("cpu"), "2");
  EXPECT_EQ(run.text("instance"), "lab");
  EXPECT_THAT(run.list("env"), ElementsAre("A=1", "B"));
  EXPECT_THAT(run.list("PROGRAM"), ElementsAre("sh", "-c", "a; b", "--", "", "--help", "-e"));
  const Parsed without = parsed({"run", "--wall-time", "5m", "--", "nvidia-smi"});
  EXPECT_FALSE(without.has("DIR"));
  EXPECT_EQ(without.text("timeout"), "5m");
  EXPECT_THAT(help({"run", "--help"}), HasSubstr("[DIR] -- PROGRAM"));
}

TEST(ParseArgs, ARunSaysWhereItsProgramGoes) {
  for (const auto& args : std::vector<std::vector<std::string>>{
           {"run"}, {"run", "."}, {"run", "--"}, {"run", ".", "--"}})
    EXPECT_THAT(complaint(args), HasSubstr("paddock run [options] [DIR] -- PROGRAM"))
        << args.size();
  EXPECT_THAT(complaint({"run", "python3", "x.py"}), HasSubstr("[DIR] -- PROGRAM"));
  EXPECT_THAT(complaint({"run", "--envv", "A=1", "--", "x"}), HasSubstr("--env"));
}

TEST(ParseArgs, ACommandMayBeTheStartOfOthers) {
  EXPECT_EQ(parsed({"audit"}).command, "audit");
  EXPECT_EQ(parsed({"audit", "--type", "x"}).text("type"), "x");
  EXPECT_EQ(parsed({"audit", "export"}).command, "audit export");
  const Parsed verify = parsed({"--instance", "lab", "audit", "verify", "a.export", "--keys", "k"});
  EXPECT_EQ(verify.command, "audit verify");
  EXPECT_EQ(verify.text("FILE"), "a.export");
  EXPECT_EQ(verify.text("instance"), "lab");
  EXPECT_THAT(complaint({"audit", "--instance", "lab", "verify"}),
              HasSubstr("`paddock audit verify"));
  EXPECT_THAT(help({"audit", "--help"}), HasSubstr("paddock audit [options]"));
  EXPECT_THAT(help({"audit", "verify", "--help"}), HasSubstr("--checkpoint"));
}

TEST(ParseArgs, KnowsWhatOtherToolsCallThings) {
  EXPECT_THAT(complaint({"ps"}), HasSubstr("paddock get runs"));
  EXPECT_THAT(complaint({"attach", "x"}), HasSubstr("paddock logs --follow"));
  EXPECT_THAT(complaint({"nodes"}), HasSubstr("`paddock get nodes`"));
  EXPECT_THAT(complaint({"retry", "x"}), HasSubstr("`paddock rerun`"));
  EXPECT_THAT(complaint({"sandbox", "cp", "a"}), HasSubstr("`paddock sandbox files`"));
  EXPECT_THAT(complaint({"sandbox", "kill", "a"}), HasSubstr("`paddock sandbox destroy`"));
  for (const char* word : {"--version", "-V", "-v"}) EXPECT_EQ(parsed({word}).command, "version");
}

TEST(ParseArgs, KnowsWhatOtherToolsCallOptions) {
  EXPECT_THAT(complaint({"run", "--gpus", "1", "--", "x"}), HasSubstr("`--accelerator nvidia=N`?"));
  EXPECT_THAT(complaint({"run", "--gpu=1", "--", "x"}), HasSubstr("`--accelerator nvidia=N`?"));
  EXPECT_THAT(complaint({"compute", "d", "c", "--gres", "gpu:1"}), HasSubstr("nvidia=N`?"));
  EXPECT_THAT(complaint({"run", "--mem", "1Gi", "--", "x"}), HasSubstr("`--memory`?"));
  EXPECT_THAT(complaint({"run", "--time", "1h", "--", "x"}), HasSubstr("`--timeout`?"));
  EXPECT_THAT(complaint({"run", "--volumes", "m", "--", "x"}), HasSubstr("`--volume`?"));
  EXPECT_THAT(complaint({"run", "-d", "--", "x"}), HasSubstr("`--detach`?"));
  EXPECT_THAT(complaint({"sandbox", "run", "-w", "/x", "--", "x"}), HasSubstr("`--workdir`?"));
  EXPECT_THAT(complaint({"run", "--workdir", "/x", "--", "x"}), HasSubstr("sh -c 'cd DIR && …'"));
  // Nothing is suggested for a command that has no such option.
  EXPECT_THAT(complaint({"logs", "--gpus", "1", "x"}), Not(HasSubstr("accelerator")));
}

// `get runs` of "…; did you mean `paddock get runs`?".
std::vector<std::string> suggested_line(const std::string& message) {
  constexpr std::string_view kBegin = "did you mean `paddock ";
  const size_t begin = message.find(kBegin);
  if (begin == std::string::npos) return {};
  const size_t from = begin + kBegin.size();
  return split(message.substr(from, message.find('`', from) - from), ' ');
}

TEST(ParseArgs, EveryWordOfOtherToolsLeadsToACommandOrAWay) {
  for (const std::string& word : other_commands()) {
    EXPECT_EQ(find_command(word), nullptr) << word << " is one of ours";
    const std::string message = complaint({word, "x"});
    const std::vector<std::string> line = suggested_line(message);
    if (line.empty()) {
      EXPECT_THAT(message, Not(HasSubstr("lists them"))) << word;
      EXPECT_GT(message.size(), 80U) << message;
      continue;
    }
    const CommandRow* row = find_command(line.front());
    ASSERT_NE(row, nullptr) << message;
    for (const std::string& option : line) {
      if (!option.starts_with('-') || option == "-it") continue;
      const bool has = std::ranges::any_of(row->options, [&](const OptionRow& each) {
        const auto names = split(each.names, ',');
        return std::ranges::find(names, option) != names.end();
      });
      EXPECT_TRUE(has) << message;
    }
  }
}

// Each leads somewhere from at least one command; from none to an option that it has not.
TEST(ParseArgs, EveryOptionOfOtherToolsLeadsToOneThatTheCommandHas) {
  for (const std::string& name : other_options()) {
    int helped = 0;
    for (const CommandRow& row : command_table()) {
      const std::string typed =
          cat(name.size() == 1 || name == "it" || name == "ti" ? "-" : "--", name);
      const std::string message = unknown_option(typed, row).message;
      const size_t meant = message.find("did you mean `--");
      helped += meant != std::string::npos || message.find("; ") != std::string::npos ? 1 : 0;
      if (meant == std::string::npos) continue;
      const size_t begin = meant + std::string_view("did you mean `--").size();
      const std::string option = message.substr(begin, message.find_first_of("` ", begin) - begin);
      EXPECT_TRUE(
          option == "help" ||
          std::ranges::any_of(row.options,
                              [&](const OptionRow& each) {
                                return cat(each.names, ",").find(cat("--", option, ",")) !=
                                       std::string::npos;
                              }) ||
          std::ranges::any_of(global_options(),
                              [&](const OptionRow& each) { return long_name(each) == option; }))
          << row.path << ": " << message;
    }
    EXPECT_GT(helped, 0) << name;
  }
}

TEST(ParseArgs, HabitsOfOtherToolsAreNotTakenForSlips) {
  EXPECT_THAT(complaint({"run", "--rm", "--", "x"}), HasSubstr("nothing stays"));
  EXPECT_THAT(complaint({"run", "-it", "--", "sh"}), HasSubstr("`paddock exec -it NAME -- sh`"));
  EXPECT_THAT(complaint({"run", "-p", "80:80", "--", "x"}), HasSubstr("no port of a run"));
  EXPECT_THAT(complaint({"run", "--image", "x", "--", "x"}), HasSubstr("no images"));
  EXPECT_THAT(complaint({"run", "-v", "/x:/y", ".", "--", "x"}), HasSubstr("hostMounts"));
  EXPECT_THAT(complaint({"run", "--user", "root", "--", "x"}), HasSubstr("without rights"));
  EXPECT_THAT(complaint({"build", ".", "-t", "x", "make"}), Not(HasSubstr("`--type`")));
  EXPECT_THAT(complaint({"sandbox", "exec", "-it", "a", "sh"}), HasSubstr("--put -"));
  EXPECT_THAT(complaint({"shell", "a"}), HasSubstr("`paddock exec -it`"));
  EXPECT_THAT(complaint({"images"}), HasSubstr("no images"));
  EXPECT_THAT(complaint({"login"}), HasSubstr("PADDOCK_TOKEN"));
  EXPECT_THAT(complaint({"sandbox", "ssh", "a"}), HasSubstr("`paddock sandbox exec`"));
}

TEST(ParseArgs, APlanTakesWhatARunAndWhatAComputeTakes) {
  EXPECT_EQ(parsed({"plan", "--memory", "1Gi", "--", "true"}).list("PROGRAM"),
            std::vector<std::string>{"true"});
  const Parsed of_a_run = parsed({"plan", ".", "--", "npm", "test"});
  EXPECT_EQ(of_a_run.text("DIR"), ".");
  EXPECT_EQ(of_a_run.list("PROGRAM"), (std::vector<std::string>{"npm", "test"}));
  const Parsed of_a_compute = parsed({"plan", ".", "python3 a.py"});
  EXPECT_EQ(of_a_compute.list("CMD"), std::vector<std::string>{"python3 a.py"});
  EXPECT_FALSE(of_a_compute.has("PROGRAM"));
}

TEST(ParseArgs, GlobalOptionsMayStandBeforeTheCommand) {
  const Parsed logs = parsed({"--server", "https://x", "--patience=2s", "logs", "-f", "name"});
  EXPECT_EQ(logs.text("server"), "https://x");
  EXPECT_EQ(logs.text("patience"), "2s");
  EXPECT_EQ(logs.text("NAME"), "name");
  EXPECT_EQ(parsed({"--instance", "a", "sandbox", "run", "--", "true"}).text("instance"), "a");
  EXPECT_EQ(parsed({"--instance", "a", "admin", "token", "revoke", "x"}).text("ID"), "x");
}

TEST(ParseArgs, AnArgumentMayBeNamedLikeACommand) {
  EXPECT_EQ(parsed({"logs", "status"}).text("NAME"), "status");
  EXPECT_EQ(parsed({"get", "runs", "up", "-o", "json"}).text("NAME"), "up");
}

TEST(ParseArgs, NamesTheNearestCommandOrOption) {
  EXPECT_THAT(complaint({"lgos", "x"}), HasSubstr("`logs`?"));
  EXPECT_THAT(complaint({"compute", "d", "c", "--artefact-dir", "x"}),
              HasSubstr("`--artifact-dir`?"));
  EXPECT_THAT(complaint({"compute", "d", "python3", "x", "--variant"}), HasSubstr("after `--`"));
  EXPECT_THAT(complaint({"sandbox"}), HasSubstr("sandbox"));
  EXPECT_THAT(complaint({"secret", "list"}), HasSubstr("`paddock get secrets`?"));
  EXPECT_THAT(complaint({"secret", "get", "-o", "json"}), HasSubstr("`paddock get secret"));
  EXPECT_THAT(complaint({"secret", "delete", "x"}), HasSubstr("`paddock delete secret x`?"));
  EXPECT_THAT(complaint({"node", "ls"}), HasSubstr("`paddock get nodes`?"));
  EXPECT_THAT(complaint({"secret", "x"}), HasSubstr("`paddock secret --help` lists them"));
  EXPECT_THAT(complaint({"sandbox", "crate"}), HasSubstr("`paddock sandbox create`?"));
}

TEST(ParseArgs, NamesTheNearestOptionAlsoBeforeTheCommand) {
  EXPECT_THAT(complaint({"--instnace", "lab", "status"}), HasSubstr("did you mean `--instance`?"));
  EXPECT_THAT(complaint({"--server=https://x", "--ca-fil=y", "get", "runs"}),
              HasSubstr("did you mean `--ca-file`?"));
  EXPECT_THAT(complaint({"--versio"}), HasSubstr("did you mean `--version`?"));
  EXPECT_THAT(complaint({"-n", "team", "get", "runs"}),
              HasSubstr("options such as `-n` go after the command"));
  EXPECT_THAT(complaint({"up", "--name", "lab"}), HasSubstr("did you mean `--instance`?"));
  EXPECT_THAT(complaint({"wait", "--for=condition=Finished", "a"}),
              HasSubstr("it waits until the run has ended"));
  EXPECT_THAT(complaint({"cluster-info"}), HasSubstr("`paddock status`"));
  EXPECT_THAT(complaint({"up", "--nmae", "lab"}), HasSubstr("did you mean `--instance`?"));
  EXPECT_THAT(complaint({"run", "--walltme", "1m", "--", "true"}),
              HasSubstr("did you mean `--timeout`?"));
  EXPECT_THAT(complaint({"get", "runs", "--nmae", "a"}), Not(HasSubstr("--instance")));
  EXPECT_THAT(complaint({"run", "--hlp"}), HasSubstr("did you mean `--help`?"));
  EXPECT_THAT(complaint({"audit", "verfy"}), HasSubstr("did you mean `paddock audit verify`?"));
  EXPECT_THAT(complaint({"compute", "d", "c", "--artefact-dir", "x"}),
              HasSubstr("`--artifact-dir`? Options of the command itself"));
}

TEST(ParseArgs, HelpIsOfTheCommandThatIsNamedBehindIt) {
  EXPECT_EQ(help({"help", "compute"}), help({"compute", "--help"}));
  EXPECT_EQ(help({"help", "admin", "token", "list"}), help({"admin", "token", "list", "--help"}));
  EXPECT_EQ(help({"help", "logs", "train-1"}), help({"logs", "--help"}));
  EXPECT_EQ(help({"help", "sandbox"}), help({"sandbox", "--help"}));
  EXPECT_EQ(help({"help"}), help({"--help"}));
  EXPECT_THAT(complaint({"help", "lgos"}), HasSubstr("did you mean `logs`?"));
  EXPECT_THAT(complaint({"help", "sandbox", "exce"}), HasSubstr("`paddock sandbox exec`?"));
}

TEST(ParseArgs, SaysHowCodeWithoutAFileIsExecuted) {
  EXPECT_THAT(complaint({"execute", "-c", "print(1)"}),
              HasSubstr("echo 'print(1)' | paddock execute -"));
}

TEST(ParseArgs, SaysWhatIsMissing) {
  EXPECT_THAT(complaint({"compute", "dir"}), HasSubstr("usage: paddock compute"));
  EXPECT_THAT(complaint({"compute"}), HasSubstr("usage: paddock compute"));
  EXPECT_THAT(complaint({"events"}), HasSubstr("usage: paddock events"));
}

TEST(ParseArgs, SaysInOurWordsWhatIsTooMuch) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"sandbox", "files", "a", "p", "b", "c"},
       "`sandbox files` takes one NAME and at most one PATH: `b` and `c` are too many"},
      {{"secret", "create", "db", "password=x"},
       "`password=x` is too many; did you mean `--from-literal password=x`?"},
      {{"up", "now"}, "`up` takes options alone: `now` is too many"},
      {{"apply", "run.yaml"}, "`run.yaml` is too many; did you mean `-f run.yaml`?"},
      {{"logs", "--tail"}, "`--tail` takes one value, N: only the last N lines"},
      {{"get", "runs", "-o"}, "`-o, --output` takes one value, FORMAT: "},
      {{"run", "--memory", "1Gi", "--memory", "2Gi", "--", "true"}, "`--memory` takes one value"},
      {{"cancel", "a", "--now=soon"}, "`--now` takes no value"},
      {{"events"}, "`events` needs NAME: name of the run"},
      {{"sandbox", "files"}, "`sandbox files` needs NAME: name of the session"},
      {{"run", "sleep", "1"}, "the program to run, with all its words, stands after `--`"},
      {{"run", "python3", "x.py", "--fast", "1"},
       "the program to run, with all its words, stands after `--`"},
  };
  for (const auto& [args, words] : cases) {
    const std::string said = complaint(args);
    EXPECT_THAT(said, HasSubstr(words));
    EXPECT_THAT(said, HasSubstr("usage: paddock " + args[0]));
    EXPECT_THAT(said, testing::Not(HasSubstr("TEXT")));
  }
}

TEST(ParseArgs, AProgramMayBeLeftOutWhereItIsAChange) {
  EXPECT_FALSE(parsed({"rerun", "a", "b"}).has("PROGRAM"));
  EXPECT_THAT(help({"rerun", "--help"}), HasSubstr("[NAME…] [-- PROGRAM…]"));
  const Parsed changed = parsed({"rerun", "a", "-e", "A=1", "--", "sh", "-c", "x"});
  EXPECT_THAT(changed.list("NAME"), ElementsAre("a"));
  EXPECT_THAT(changed.list("PROGRAM"), ElementsAre("sh", "-c", "x"));
}

TEST(ParseArgs, HelpIsThereAtEveryLevel) {
  EXPECT_THAT(help({}), HasSubstr("First steps"));
  EXPECT_THAT(help({"--help"}), HasSubstr("First steps"));
  EXPECT_THAT(help({"compute", "--help"}), HasSubstr("--artifact-dir"));
  EXPECT_THAT(help({"sandbox", "--help"}), HasSubstr("sandbox run"));
  EXPECT_THAT(help({"sandbox", "run", "-h"}), HasSubstr("--policy"));
}

}  // namespace
}  // namespace paddock::cli
