#include "controller/receipts/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/crypto/digest.h"
#include "common/wire/json.h"

namespace paddock::receipts {
namespace {

using contracts::Run;
using testing::HasSubstr;
using testing::Not;

Run ended() {
  Run run;
  run.metadata.name = "train";
  run.metadata.name_space = "default";
  run.metadata.uid = "0b54";
  run.spec.workspace = "w";
  run.spec.code = "print(1)";
  run.status.phase = contracts::RunPhase::kSucceeded;
  run.status.node_name = "gpu-1";
  run.status.attempt = 2;
  run.status.workspace_root = std::string(64, 'a');
  run.status.artifacts.push_back({"out/model.bin", 3, std::string(64, 'b'), false});
  run.status.result.emplace();
  run.status.result->status = contracts::SandboxStatus::kOk;
  run.status.result->out = "epoch 1";
  run.status.result->denials.push_back({"network", "192.0.2.1:443", "/bin/x", "rule", "", 1});
  return run;
}

std::string subject(const wire::Value& statement, std::string_view name) {
  for (const wire::Value& each : *statement.find("subject")->array())
    if (each.text("name") == name) return each.text("digest.sha256");
  return "";
}

TEST(Statement, NamesInputsAndOutputsByDigest) {
  const wire::Value made = statement(ended());
  EXPECT_EQ(made.text("_type"), "https://in-toto.io/Statement/v1");
  EXPECT_EQ(subject(made, "artifacts/out/model.bin"), std::string(64, 'b'));
  EXPECT_EQ(subject(made, "output/stdout"), crypto::sha256_hex("epoch 1"));
  const std::string text = wire::to_json(made);
  EXPECT_THAT(text, HasSubstr(std::string(64, 'a')));
  EXPECT_THAT(text, HasSubstr(crypto::sha256_hex("print(1)")));
  EXPECT_EQ(made.text("predicate.node"), "gpu-1");
  EXPECT_EQ(*made.at("predicate.attempt")->integer(), 2);
  EXPECT_EQ(made.at("predicate.result.denials")->array()->size(), 1U);
}

// Output may hold anything, and somebody may pass a receipt on.
TEST(Statement, HoldsNothingThatTheProgramWroteNorItsCode) {
  const std::string text = wire::to_json(statement(ended()));
  EXPECT_THAT(text, Not(HasSubstr("epoch 1")));
  EXPECT_THAT(text, Not(HasSubstr("print(1)")));
}

TEST(Statement, TellsVariablesByNameAlone) {
  contracts::Run run = ended();
  run.status.policy.emplace();
  run.status.policy->env["API_KEY"] = "plain";
  run.status.result->policy = run.status.policy;
  const wire::Value made = statement(run);
  EXPECT_EQ(made.text("predicate.policy.env.API_KEY"), "***");
  EXPECT_EQ(made.text("predicate.result.policy.env.API_KEY"), "***");
  EXPECT_THAT(wire::to_json(made), Not(HasSubstr("plain")));
}

TEST(Statement, OfARunThatNeverBeganSpeaksOfTheRun) {
  contracts::Run run;
  run.metadata.uid = "0b54";
  run.status.phase = contracts::RunPhase::kCanceled;
  const wire::Value made = statement(run);
  EXPECT_EQ(made.find("subject")->array()->size(), 1U);
  EXPECT_EQ(made.text("predicate.phase"), "Canceled");
}

}  // namespace
}  // namespace paddock::receipts
