#include "controller/api/server/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/run.h"
#include "common/wire/yaml.h"

namespace paddock::api {
namespace {

TEST(FlagParameter, IsTrueOrFalseOrRefusedByName) {
  const auto read = [](const std::string& value) {
    Request request;
    request.query = {{"other", "x"}, {"watch", value}};
    return flag_parameter(request, "watch");
  };
  EXPECT_EQ(*flag_parameter(Request(), "watch"), false);
  for (const char* value : {"true", "1", "", "True", "TRUE"}) EXPECT_TRUE(*read(value)) << value;
  for (const char* value : {"false", "0", "False"}) EXPECT_FALSE(*read(value)) << value;
  for (const char* value : {"maybe", "yes", "2", " true", "t"}) {
    const auto refused = read(value);
    ASSERT_FALSE(refused.ok()) << value;
    EXPECT_EQ(refused.error().reason, "PARAMETER_INVALID");
    EXPECT_EQ(refused.error().causes.at(0).field, "watch");
  }
}

std::string told(const Result<contracts::Run>& refused) {
  std::string lines = cat(refused.error().reason.text(), "\n");
  for (const Cause& each : refused.error().causes)
    lines += cat(each.field, ": ", each.message, "\n");
  return lines;
}

TEST(DecodeObject, UnknownFieldsAreToldBesideAllOtherFaults) {
  const auto document = wire::parse_yaml(
      "metadata: {name: a}\nspec: {type: command, comand: [a], timeout: soon, retry: 3}\n");
  std::vector<std::string> warnings;
  EXPECT_THAT(
      told(decode_object<contracts::Run>(*document, FieldValidation::kStrict, warnings)),
      testing::AllOf(testing::StartsWith("INVALID_FIELD\nspec.comand: unknown field; did you mean "
                                         "`command`?\n"),
                     testing::HasSubstr("\nspec.timeout: "), testing::HasSubstr("\nspec.retry: ")));
  EXPECT_THAT(told(decode_object<contracts::Run>(*document, FieldValidation::kWarn, warnings)),
              testing::Not(testing::HasSubstr("spec.comand")));
  EXPECT_THAT(warnings, testing::ElementsAre("unknown field \"spec.comand\" is left out"));
}

TEST(DecodeObject, UnknownFieldsAloneKeepTheirReason) {
  const auto document =
      wire::parse_yaml("metadata: {name: a}\nspec: {type: command, command: [a], memory: 1Gi}\n");
  std::vector<std::string> warnings;
  EXPECT_EQ(told(decode_object<contracts::Run>(*document, FieldValidation::kStrict, warnings)),
            "UNKNOWN_FIELD\nspec.memory: unknown field; did you mean `spec.resources.memory` "
            "or `spec.sandbox.limits.memory`?\n");
}

}  // namespace
}  // namespace paddock::api
