#include "controller/admission/admit_fixture.h"

namespace paddock::admission {
namespace {

TEST_F(Admit, GivesAComputeRunSecretsAsFilesAlone) {
  spec_.secrets = {{"db", "", ""}, {"api", "token", ""}};
  EXPECT_EQ(reason(), "");
  spec_.secrets.push_back({"api", "other", "TOKEN"});
  EXPECT_EQ(reason(), "ENV_NOT_ALLOWED");
  EXPECT_EQ(field(), "spec.secrets[2].variable");
}

TEST_F(Admit, GivesACommandSecretsAsVariablesThatNobodyElseSets) {
  spec_.type = contracts::RunType::kCommand;
  spec_.secrets = {{"db", "password", "PGPASSWORD"}};
  EXPECT_EQ(reason(), "");
  spec_.sandbox.env["PGPASSWORD"] = "x";
  EXPECT_EQ(reason(), "SECRET_TWICE");
  spec_.sandbox.env.clear();
  spec_.secrets.push_back({"other", "password", "PGPASSWORD"});
  EXPECT_EQ(reason(), "SECRET_TWICE");
  EXPECT_EQ(field(), "spec.secrets[1].variable");
}

TEST_F(Admit, TakesNoFileTwice) {
  for (const std::vector<contracts::SecretUse>& same :
       {std::vector<contracts::SecretUse>{{"db", "", ""}, {"db", "", ""}},
        {{"db", "a", ""}, {"db", "", ""}},
        {{"db", "a", ""}, {"db", "a", ""}}}) {
    spec_.secrets = same;
    EXPECT_EQ(reason(), "SECRET_TWICE");
    EXPECT_EQ(field(), "spec.secrets[1].name");
  }
  spec_.secrets = {{"db", "a", ""}, {"db", "b", ""}, {"other", "a", ""}};
  EXPECT_EQ(reason(), "");
}

TEST_F(Admit, LetsNoSecretBeAVariableThatAddsOptionsToATest) {
  spec_.type = contracts::RunType::kTest;
  spec_.command.argv = {"pytest"};
  spec_.secrets = {{"db", "a", "PYTEST_ADDOPTS"}};
  EXPECT_EQ(reason(), "ENV_NOT_ALLOWED");
  spec_.secrets = {{"db", "a", "PYTHONHASHSEED"}};
  EXPECT_EQ(reason(), "ENV_NOT_ALLOWED");
  spec_.secrets = {{"db", "a", "TOKEN"}};
  EXPECT_EQ(reason(), "");
}

}  // namespace
}  // namespace paddock::admission
