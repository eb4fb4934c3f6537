#include "cli/options/code_run.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(CodeRun, CarriesTheCodeAndLeavesTheRestToItsType) {
  const contracts::Run run = *code_run({"execute", {}}, "print(1)", {}, "sum-a1");
  EXPECT_EQ(run.metadata.name, "sum-a1");
  EXPECT_EQ(run.metadata.name_space, "default");
  EXPECT_EQ(run.spec.type, contracts::RunType::kCode);
  EXPECT_EQ(run.spec.code, "print(1)");
  EXPECT_FALSE(run.spec.input_data || run.spec.timeout || run.spec.sandbox.limits.memory);
  EXPECT_TRUE(run.spec.command.argv.empty() && run.spec.profile.empty());
}

TEST(CodeRun, TakesItsNameLabelsTimeAndMemoryFromTheOptions) {
  const Parsed parsed{"execute",
                      {{"name", {"n"}},
                       {"namespace", {"team"}},
                       {"label", {"a=b"}},
                       {"timeout", {"90s"}},
                       {"memory", {"1Gi"}}}};
  const contracts::Run run = *code_run(parsed, "x", wire::Value::Object{{"n", 1}}, "other");
  EXPECT_EQ(run.metadata.name, "n");
  EXPECT_EQ(run.metadata.name_space, "team");
  EXPECT_EQ(run.metadata.labels.at("a"), "b");
  EXPECT_EQ(run.spec.timeout, wire::Duration{std::chrono::seconds(90)});
  EXPECT_EQ(run.spec.sandbox.limits.cpu_time, wire::Duration{std::chrono::seconds(90)});
  EXPECT_EQ(run.spec.sandbox.limits.memory, wire::Quantity{1LL << 30});
  EXPECT_EQ(run.spec.sandbox.limits.address_space, std::nullopt);
  EXPECT_EQ(run.spec.input_data->find("n")->integer() != nullptr, true);
}

TEST(CodeRun, RefusesWhatIsNoDurationOrLabel) {
  EXPECT_FALSE(code_run({"execute", {{"timeout", {"soon"}}}}, "x", {}, "n").ok());
  EXPECT_FALSE(code_run({"execute", {{"label", {"no"}}}}, "x", {}, "n").ok());
}

}  // namespace
}  // namespace paddock::cli
