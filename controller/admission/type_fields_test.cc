#include "controller/admission/type_fields.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace paddock::admission {
namespace {

using contracts::RunSpec;
using contracts::RunType;

RunSpec code_run() {
  RunSpec spec;
  spec.type = RunType::kCode;
  spec.code = "print(1)";
  return spec;
}

std::vector<std::string> fields(const RunSpec& spec) {
  std::vector<std::string> out;
  for (const FieldRefusal& each : check_type_fields(spec)) out.push_back(each.field);
  return out;
}

TEST(TypeFields, ACodeRunIsItsCode) {
  RunSpec spec = code_run();
  EXPECT_TRUE(check_type_fields(spec).empty());
  spec.input_data = wire::Value::Object{{"n", 1}};
  EXPECT_TRUE(check_type_fields(spec).empty());
  spec.code.clear();
  ASSERT_EQ(check_type_fields(spec).size(), 1u);
  EXPECT_EQ(check_type_fields(spec)[0].reason, "CODE_REQUIRED");
}

TEST(TypeFields, ACodeRunHasNothingOfAProject) {
  RunSpec spec = code_run();
  spec.command.argv = {"python3", "s.py"};
  spec.workspace = "w";
  spec.workspace_root = std::string(64, 'a');
  spec.artifacts.dirs = {"out"};
  spec.publish = "models";
  spec.volumes = {{"data", {}}};
  spec.tool_token.emplace();
  const std::vector<std::string> all = {
      "spec.command", "spec.workspace", "spec.workspaceRoot", "spec.artifacts.dirs",
      "spec.publish", "spec.volumes",   "spec.toolToken"};
  EXPECT_EQ(fields(spec), all);
  for (const FieldRefusal& each : check_type_fields(spec))
    EXPECT_EQ(each.reason, "FIELD_NOT_SUPPORTED");
}

// One byte more than travels with a run.
TEST(TypeFields, InputThatIsTooLargeIsRefusedByItsSizeAsJson) {
  RunSpec spec = code_run();
  const auto input_of = [](size_t bytes) {
    return wire::Value::Object{
        {"a", std::string(bytes - std::string_view(R"({"a":""})").size(), 'x')}};
  };
  spec.input_data = input_of(contracts::kMaxRunInputBytes);
  EXPECT_TRUE(check_type_fields(spec).empty());
  spec.input_data = input_of(contracts::kMaxRunInputBytes + 1);
  ASSERT_EQ(check_type_fields(spec).size(), 1u);
  EXPECT_EQ(check_type_fields(spec)[0].reason, "INPUT_DATA_TOO_LARGE");
}

TEST(TypeFields, NoOtherTypeHasCodeOrData) {
  for (const auto& [type, name] : wire::EnumNames<RunType>::values) {
    if (type == RunType::kCode) continue;
    RunSpec spec = code_run();
    spec.type = type;
    spec.input_data = wire::Value::Object{};
    EXPECT_EQ(fields(spec), (std::vector<std::string>{"spec.code", "spec.inputData"})) << name;
  }
}

TEST(TypeFields, NothingOfTheCodeOrItsDataIsRepeated) {
  RunSpec spec = code_run();
  spec.code = "hunter2";
  spec.input_data =
      wire::Value::Object{{"hunter2", std::string(contracts::kMaxRunInputBytes, 'z')}};
  spec.workspace = "w";
  for (const RunType type : {RunType::kCode, RunType::kCompute}) {
    spec.type = type;
    ASSERT_FALSE(check_type_fields(spec).empty());
    for (const FieldRefusal& each : check_type_fields(spec)) {
      EXPECT_EQ(each.message.find("hunter2"), std::string::npos);
      EXPECT_EQ(each.message.find("zzz"), std::string::npos);
    }
  }
}

TEST(TypeFields, ATestRunsOptionsStandInItsCommand) {
  RunSpec spec;
  spec.type = RunType::kTest;
  spec.sandbox.env = {{"PYTEST_ADDOPTS", "-p evil"}, {"PYTEST_PLUGINS", "evil"}, {"A", "b"}};
  const auto refused = check_type_fields(spec);
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].reason, "ENV_NOT_ALLOWED");
  EXPECT_EQ(refused[0].field, "spec.sandbox.env.PYTEST_ADDOPTS");
  spec.type = RunType::kCompute;
  EXPECT_TRUE(check_type_fields(spec).empty());
}

}  // namespace
}  // namespace paddock::admission
