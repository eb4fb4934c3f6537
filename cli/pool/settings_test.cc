#include "cli/pool/settings.h"

#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/pool/pilot_script.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/settings_golden.h"

namespace paddock::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kLeast =
    "name: hpc\nserver: https://c.example\ntokenFile: /t\nfolder: /f\nnamespaces: [default]\n";

Result<PoolSettings> parse(const std::string& more) {
  return parse_pool_settings(kLeast + more, {});
}

TEST(PoolSettings, TheExampleFileHasTheDefaults) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  const auto text =
      os::read_file(cat(source == nullptr ? "." : source, "/packaging/pool.example.yaml"));
  ASSERT_TRUE(text.ok());
  const auto settings = parse_pool_settings(*text, {});
  ASSERT_TRUE(settings.ok()) << settings.error().describe();
  PoolSettings expected;
  expected.name = settings->name;
  expected.server = settings->server;
  expected.token_file = settings->token_file;
  expected.folder = settings->folder;
  expected.namespaces = {"default"};
  EXPECT_EQ(wire::encode(*settings), wire::encode(expected));
  const wire::Value keys = wire::encode(expected);
  for (const auto& [key, value] : *keys.object())
    EXPECT_THAT(*text, HasSubstr(cat("\n", key, ":")));
}

TEST(PoolSettings, AreThoseOfTheGoldenFile) {
  test::expect_golden_settings(
      "paddock-pool", wire::settings_variables("PADDOCK_POOL_", wire::schema<PoolSettings>()),
      wire::schema<PoolSettings>(), wire::encode(PoolSettings{}));
}

TEST(PoolSettings, FaultsAreNamedByField) {
  const std::pair<const char*, const char*> faults[] = {
      {"slurm: {partition: \"a;b\"}\n", "slurm.partition"},
      {"slurm: {account: \"$(id)\"}\n", "slurm.account"},
      {"slurm: {qos: \"a b\"}\n", "slurm.qos"},
      {"slurm: {options: {wrap: id}}\n", "slurm.options.wrap"},
      {"slurm: {options: {constraint: \"a'b\"}}\n", "slurm.options.constraint"},
      {"slurm: {options: {constraint: \"\"}}\n", "slurm.options.constraint"},
      {"pilot: {program: agent}\n", "pilot.program"},
      {"pilot: {program: \"/a'b\"}\n", "pilot.program"},
      {"pilot: {walltime: 2m}\n", "pilot.walltime"},
      {"pilot: {walltime: 3m1s}\n", "pilot.walltime"},
      {"pilot: {labels: {a: \"it's\"}}\n", "pilot.labels.a"},
      {"pilot: {server: \"https://a'b\"}\n", "pilot.server"},
      {"size: {minCpus: 9}\n", "size.minCpus"},
      {"size: {minMemory: 64Gi}\n", "size.minMemory"},
      {"maxPilots: 1\n", "maxQueued"},
      {"submitEvery: 1ms\n", "submitEvery"},
      {"lookEvery: 2h\n", "lookEvery"},
      {"odd: 1\n", "odd"}};
  for (const auto& [text, field] : faults) {
    const auto settings = parse(text);
    ASSERT_FALSE(settings.ok()) << text;
    EXPECT_EQ(settings.error().reason, "CONFIG_INVALID") << text;
    EXPECT_THAT(settings.error().describe(), HasSubstr(field)) << text;
  }
  std::string replaced = kLeast;
  replaced.replace(replaced.find("/f\n"), 2, "/f/%u");
  EXPECT_FALSE(parse_pool_settings(replaced, {}).ok()) << "sbatch would put the user's name there";
  EXPECT_FALSE(parse_pool_settings("name: a-name-that-is-longer-than-thirty-two\n", {}).ok());
}

TEST(PoolSettings, FaultsHaveTheirPlace) {
  const std::string text = cat(kLeast, "odd: 1\n");
  const auto line = std::ranges::count(text, '\n');
  EXPECT_EQ(parse_pool_settings(text, {}, "pool.yaml").error().describe(),
            cat("pool.yaml:", line, ": odd: unknown field"));
  EXPECT_THAT(
      parse_pool_settings(kLeast, {{"PADDOCK_POOL_MAX_PILOTS", "x"}}, "p").error().describe(),
      testing::StartsWith("PADDOCK_POOL_MAX_PILOTS: maxPilots: "));
}

TEST(PoolSettings, AVariableWins) {
  const auto settings = parse_pool_settings(kLeast, {{"PADDOCK_POOL_MAX_PILOTS", "9"}});
  ASSERT_TRUE(settings.ok()) << settings.error().describe();
  EXPECT_EQ(settings->max_pilots, 9);
}

TEST(Sbatch, IsGivenWordsAndNoSecret) {
  const auto settings = parse(
      "slurm: {partition: gpu, account: lab, qos: low, gres: \"gpu:a100\", "
      "options: {constraint: \"fast&big\"}}\npilot: {walltime: 90m}\n");
  ASSERT_TRUE(settings.ok()) << settings.error().describe();
  const auto words = sbatch_words(*settings, "k7f3a9c2", {4, 2048, 2});
  for (const char* word :
       {"--parsable", "--job-name=paddock-hpc-k7f3a9c2-4c-2048m-2g", "--cpus-per-task=4",
        "--mem=2048M", "--time=90", "--gres=gpu:a100:2", "--partition=gpu", "--account=lab",
        "--qos=low", "--constraint=fast&big", "--no-requeue", "--output=/f/logs/%j.log"})
    EXPECT_THAT(words, Contains(word));
  const auto plain = sbatch_words(*parse(""), "k7f3a9c2", {1, 1024, 0});
  for (const std::string& word : plain) {
    EXPECT_THAT(word, Not(HasSubstr("--gres")));
    EXPECT_THAT(word, Not(HasSubstr("--partition")));
  }
  EXPECT_THAT(plain, Contains("--nodes=1"));
  const auto gang = sbatch_words(*parse(""), "k7f3a9c2", {1, 1024, 0, 3});
  for (const char* word : {"--nodes=3", "--ntasks=3", "--ntasks-per-node=1"})
    EXPECT_THAT(gang, Contains(word));
}

TEST(PilotScript, HoldsEachValueBetweenQuotes) {
  const auto settings =
      parse("pilot: {labels: {\"a b\": \"$(id) `id`\"}, tempDir: \"/with space\"}\n");
  ASSERT_TRUE(settings.ok()) << settings.error().describe();
  const std::string script = pilot_script(*settings);
  EXPECT_TRUE(script.starts_with("#!/bin/bash\n"));
  EXPECT_THAT(script, HasSubstr("temp='/with space'\n"));
  EXPECT_THAT(script, HasSubstr("$(id) `id`\"}'\n"));
  EXPECT_THAT(script, HasSubstr("server='https://c.example'\n"));
}

}  // namespace
}  // namespace paddock::cli
