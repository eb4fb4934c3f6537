// Reports and kinds as text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/kinds.h"
#include "cli/output/kubeconfig.h"
#include "cli/output/output_format.h"
#include "cli/output/run_report.h"
#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(denials_text(sample_result().denials),
            "denied: connect on 192.0.2.1:443 by python3 (2 times)\n"
            "  rule:   network.enabled\n"
            "  remedy: set network.enabled\n");
  EXPECT_TRUE(worth_telling(sample_result()));
  contracts::SandboxResult plain;
  EXPECT_FALSE(worth_telling(plain));
  plain.policy.emplace().limits.stdout_bytes = wire::Quantity{100'000};
  plain.truncated.out = true;  // of the part that the result repeats
  plain.usage.stdout_bytes = 100'000;
  EXPECT_FALSE(worth_telling(plain));
  plain.usage.stdout_bytes = 100'001;
  EXPECT_TRUE(worth_telling(plain));
}

TEST(RunReport, SaysWhichAllowedNameTheNodeDidNotReach) {
  contracts::SandboxResult result;
  result.usage.network = {{.name = "web.test", .port = 443, .connections = 1},
                          {.name = "no.test", .failures = 2, .problem = "it does not exist"}};
  EXPECT_EQ(unreached_text(result),
            "not reached: no.test (2 times): the policy allows it, but it does not exist\n");
  EXPECT_EQ(unreached_text(contracts::SandboxResult{}), "");
}

TEST(RunReport, NamesAFewOfTheFilesThatCameBackAndHowToListThem) {
  CameBack back;
  back.folder = "res";
  back.whole_list = "paddock artifacts a";
  EXPECT_EQ(came_back_text(back, false), "");
  back.asked = {"res", "out/*.csv"};
  EXPECT_EQ(came_back_text(back, false),
            "artifacts: none: when it ended, there was no file in res, out/*.csv (--artifact-dir "
            "names a folder; it knows no patterns)\n");
  back.asked = {"res"};
  EXPECT_THAT(came_back_text(back, true), testing::EndsWith(" there was no file in res\n"));
  const auto add = [&back](const char* path) {
    back.artifacts.emplace_back().path = path;
    back.artifacts.back().size = 2;
  };
  add("x.pt");
  EXPECT_EQ(came_back_text(back, false), "artifacts: 1 file, 2 B\n  res/x.pt\n");
  for (const char* more : {"y", "z", "w", "v"}) add(more);
  back.succeeded = false;
  EXPECT_EQ(came_back_text(back, false),
            "artifacts: 5 files, 10 B, of a run that did not succeed\n"
            "  res/x.pt, res/y, res/z … and 2 more (paddock artifacts a)\n");
  back.left_out = {{"a", "r"}, {"b", "r"}, {"c", "r"}, {"d", "r"}};
  EXPECT_THAT(came_back_text(back, false),
              testing::EndsWith("not brought back:\n  a   r\n  b   r\n  c   r\n"
                                "  … and 1 more (paddock artifacts a)\n"));
  EXPECT_EQ(came_back_text(back, true),
            "artifacts: 5 files, 10 B, of a run that did not succeed\n"
            "  res/x.pt  2 B\n  res/y  2 B\n  res/z  2 B\n  res/w  2 B\n  res/v  2 B\n"
            "not brought back:\n  a   r\n  b   r\n  c   r\n  d   r\n");
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
  for (const char* word : {"pool", "Pools"})
    EXPECT_THAT(parse_kind(word).error().message,
                HasSubstr("`paddock pool describe --config FILE`"));
  for (const auto& [word, kind] : {std::pair{"pods", "`runs`?"},
                                   {"po", "`runs`?"},
                                   {"Job", "`runs`?"},
                                   {"sessions", "`sandboxes`?"},
                                   {"hosts", "`nodes`?"},
                                   {"pvc", "`volumes`?"}})
    EXPECT_THAT(parse_kind(word).error().message, HasSubstr(kind)) << word;
  EXPECT_THAT(parse_kind("rnus").error().message, HasSubstr("`runs`?"));
  EXPECT_THAT(parse_kind("Sanbox").error().message, HasSubstr("`sandbox`?"));
  EXPECT_THAT(parse_kind("deployments").error().message, testing::Not(HasSubstr("`?")));
  EXPECT_THAT(parse_kind("train-k7d2p").error().message, HasSubstr("as in `run NAME`; known: "));
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

}  // namespace
}  // namespace paddock::cli
