// What is wrong with the arguments of a call, and how it is said.
#include "common/mcp/arguments.h"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/mcp/tools_test_support.h"

namespace paddock::mcp {
namespace {

using wire::Value;

TEST_F(McpTools, WhatTheApiRefusesIsSaidOfArguments) {
  struct Case {
    const char* tool;
    const char* arguments;
    const char* field;
    const char* argument;
  };
  for (const Case& each : {
           Case{"run_start", R"({"command":"a b"})", "spec.command[1]", "command"},
           Case{"run_start", R"({"command":"a","args":["b","c"]})", "spec.command[2]", "args[1]"},
           Case{"run_start", R"({"command":"a","args":["b"]})", "spec.command[0]", "command"},
           Case{"run_start", R"({"command":"a"})", "spec.commander", "spec.commander"},
           Case{"run_start", R"({"command":"a"})", "spec.sandbox.limits.fsBytes", "disk"},
           Case{"run_start", R"({"command":"a"})", "spec.sandbox.env.SEED", "env"},
           Case{"run_start", R"({"command":"a","env":["SEE=1","SEED=1"]})", "spec.sandbox.env.SEED",
                "env[1]"},
           Case{"run_start", R"({"command":"a"})", "spec.artifacts.dirs[3]", "artifactDirs[3]"},
           Case{"run_start", R"({"command":"a"})", "spec.sandbox.network.enabled", "allowDomains"},
           Case{"run_start", R"({"command":"a"})", "spec.sandbox.network.allowDomains[1].host",
                "allowDomains[1]"},
           Case{"run_start", R"({"command":"a"})", "spec.resources.accelerators.kind",
                "accelerator"},
           Case{"plan", R"({"command":"a"})", "spec.resources.cpu", "cpu"},
           Case{"plan", R"({"command":"a"})", "metadata.labels", "metadata.labels"},
           Case{"sandbox_create", R"({})", "spec.security.toolAllowlist[0]", "tools[0]"},
           Case{"sandbox_create", R"({})", "spec.security.limits.memoryBytes", "memory"},
           Case{"sandbox_create", R"({})", "spec.security.network.enabled", "allowDomains"},
       }) {
    api_.missing = {Code::kInvalidArgument, "INVALID_FIELD", "no", {{each.field, "is wrong"}}};
    EXPECT_EQ(call(each.tool, each.arguments).error().causes.at(0).field, each.argument)
        << each.field;
  }
}

TEST_F(McpTools, AnArgumentThatIsSeveralFieldsIsWrongOnce) {
  const std::string why = "expected a quantity";
  api_.missing = {
      Code::kInvalidArgument,
      "INVALID_FIELD",
      cat("spec.resources.memory: ", why, " (and 2 more)"),
      {{"spec.resources.memory", why}, {"spec.sandbox.limits.memory", why}, {"spec.timeout", why}}};
  const Error told = call("run_start", R"({"command":"a","memory":"1","timeout":"1h"})").error();
  EXPECT_EQ(told.message, cat("memory: ", why, " (and 1 more)"));
  EXPECT_EQ(told.causes, (std::vector<Cause>{{"memory", why}, {"timeout", why}}));
  // Each field has a sentence of its own where the operator's settings are named.
  api_.missing = {Code::kInvalidArgument,
                  "LIMIT_OVER_CEILING",
                  "ceilings.limits.fileSize (and 1 more)",
                  {{"spec.sandbox.limits.fileSize", "ceilings.limits.fileSize"},
                   {"spec.sandbox.limits.fsBytes", "ceilings.limits.fsBytes"}}};
  const Error disk = call("run_start", R"({"command":"a","disk":"9Ti"})").error();
  EXPECT_EQ(disk.message, "ceilings.limits.fileSize");
  EXPECT_EQ(disk.causes, (std::vector<Cause>{{"disk", "ceilings.limits.fileSize"}}));
}

TEST_F(McpTools, WhatThereIsNotIsSaidOfTheArgumentThatNamesIt) {
  for (const auto& [reason, tool, arguments, argument] :
       {std::tuple{Reason("RUN_NOT_FOUND"), "run_wait", R"({"run":"r"})", "run"},
        std::tuple{Reason("RUN_NOT_FOUND"), "sandbox_exec", R"({"run":"r","command":"a"})", "run"},
        std::tuple{Reason("SANDBOX_NOT_FOUND"), "sandbox_destroy", R"({"sandbox":"s"})", "sandbox"},
        std::tuple{Reason("CONTINUE_INVALID"), "run_list", R"({"cursor":"x"})", "cursor"},
        std::tuple{Reason("CONTINUE_INVALID"), "sandbox_list", R"({"cursor":"x"})", "cursor"},
        std::tuple{Reason("CONTINUE_INVALID"), "nodes", R"({"cursor":"x"})", "cursor"}}) {
    api_.missing = {Code::kNotFound, reason, "there is none"};
    const Error told = call(tool, arguments).error();
    EXPECT_EQ(told.reason, reason) << tool;
    ASSERT_FALSE(told.causes.empty()) << tool;
    EXPECT_EQ(told.causes[0].field, argument) << tool;
  }
}

TEST_F(McpTools, AWholeNumberIsAnIntegerAndNullIsNothing) {
  api_.answers = {kPending};
  ASSERT_TRUE(call("run_start", R"({"command":"a","cpu":2.0,"pids":5e1,"memory":null,"args":null,)"
                                R"("env":null,"timeout":null})")
                  .ok());
  EXPECT_EQ(wire::to_json(*api_.last_body.find("spec")),
            R"({"type":"compute","command":"a","resources":{"cpu":2},)"
            R"("sandbox":{"limits":{"pids":50}}})");
  api_.asked.clear();
  for (const char* wrong :
       {R"({"command":"a","cpu":2.5})", R"({"command":"a","cpu":1e300})",
        R"({"command":"a","cpu":4097.0})", R"({"command":null})",
        R"({"command":"a","nothing":null})", R"({"command":"a","args":[null]})"})
    EXPECT_EQ(call("run_start", wrong).error().reason, "ARGUMENT_INVALID") << wrong;
  EXPECT_TRUE(api_.asked.empty()) << "nothing was begun";
}

TEST_F(McpTools, AllThatIsWrongWithArgumentsIsSaidAtOnce) {
  const auto refused =
      call("run_start", R"({"cmd":"a","cpu":2.5,"type":"any","args":[1,"b",2],"timeout":60})");
  ASSERT_FALSE(refused.ok());
  std::vector<std::string> fields;
  for (const Cause& each : refused.error().causes) fields.push_back(each.field);
  EXPECT_THAT(fields, testing::ElementsAre("\"cmd\"", "cpu", "type", "args[0]", "args[2]",
                                           "timeout", "command"));
  EXPECT_THAT(refused.error().message, testing::StartsWith("there is no argument \"cmd\"; "));
  EXPECT_THAT(refused.error().message, testing::EndsWith(" (and 6 more)"));
  std::string many = "1";
  for (int i = 0; i < 1000; ++i) many += ",1";
  const auto each = call("run_start", R"({"command":"a","args":[)" + many + "]}");
  EXPECT_EQ(each.error().causes.size(), 20U) << "an answer is one short line";
  EXPECT_THAT(each.error().message, testing::EndsWith(" (and 1000 more)"));
}

TEST_F(McpTools, AWrongFormatIsNoReasonToBeSilentAboutATypeNorTheOtherWayRound) {
  for (const auto& [tool, arguments, fields] :
       {std::tuple{"sandbox_create",
                   R"({"memory":"lots","disk":-1,"name":"A","idempotencyKey":" "})",
                   "memory disk name idempotencyKey"},
        std::tuple{"run_start",
                   R"({"command":"a","memory":"lots","disk":1,"env":["A=1","B","A=2"],"cpu":"x"})",
                   "memory disk env[1] env[2] cpu"},
        std::tuple{"plan",
                   R"({"command":"a > b","type":"command","folder":"a","workspace":"b",)"
                   R"("acceleratorCount":2})",
                   "command acceleratorCount folder"},
        std::tuple{"sandbox_exec",
                   R"({"sandbox":"s","command":"a","stdin":"x","timeoutSeconds":1})", "stdin"},
        std::tuple{"sandbox_write", R"({"sandbox":"S","path":"../a","base64":"a"})",
                   "sandbox path base64"},
        std::tuple{"execute", R"({"code":7,"inputJson":"[1]"})", "code inputJson"}}) {
    const auto refused = call(tool, arguments);
    ASSERT_FALSE(refused.ok()) << arguments;
    EXPECT_EQ(refused.error().reason, "ARGUMENT_INVALID") << arguments;
    std::vector<std::string> told;
    for (const Cause& each : refused.error().causes) told.push_back(each.field);
    EXPECT_EQ(join(told, " "), fields) << arguments;
  }
  EXPECT_TRUE(api_.asked.empty()) << "nothing was begun";
}

TEST_F(McpTools, RefuseArgumentsByName) {
  struct Case {
    const char* tool;
    const char* arguments;
    const char* field;
  };
  for (const Case& each : {
           Case{"run_start", R"({})", "command"},
           Case{"run_start", R"({"command":"x","rm\n":"y"})", "\"rm?\""},
           Case{"run_start", R"({"command":["x"]})", "command"},
           Case{"run_start", R"({"command":"x","folder":7})", "folder"},
           Case{"run_start", R"({"command":"x","folder":"a","workspace":"b"})", "folder"},
           Case{"run_start", R"({"command":"x","env":{"A":"b"}})", "env"},
           Case{"run_start", R"({"command":"x","env":["A"]})", "env[0]"},
           Case{"run_start", R"({"command":"x","env":["A=1","A=2"]})", "env[1]"},
           Case{"run_start", R"({"command":"x","memory":"lots"})", "memory"},
           Case{"run_start", R"({"command":"x","timeout":"soon"})", "timeout"},
           Case{"run_start", R"({"command":"x","name":"A"})", "name"},
           Case{"run_start", R"({"command":"x","acceleratorCount":2})", "acceleratorCount"},
           Case{"run_start", R"({"command":"x","args":[1]})", "args[0]"},
           Case{"run_start", R"({"command":"x","type":"agent"})", "type"},
           Case{"run_start", R"({"command":"x","accelerator":"tpu"})", "accelerator"},
           Case{"run_start", R"({"command":"x","idempotencyKey":"a\r\nX: y"})", "idempotencyKey"},
           Case{"run_start", R"({"command":"a\u0000b"})", "command"},
           Case{"run_list", R"({"phase":"nosuch"})", "phase"},
           Case{"run_list", R"({"limit":51})", "limit"},
           Case{"sandbox_list", R"({"phase":"Running"})", "phase"},
           Case{"run_wait", R"({"run":"r","timeoutSeconds":46})", "timeoutSeconds"},
           Case{"run_wait", R"({"run":""})", "run"},
           Case{"run_artifacts", R"({"run":"r","path":"../x"})", "path"},
           Case{"run_artifacts", R"({"run":"r","offset":-1})", "offset"},
           Case{"execute", R"({"code":7})", "code"},
           Case{"execute", R"({"code":"x","timeoutSeconds":21})", "timeoutSeconds"},
           Case{"execute", R"({"code":"x","inputJson":"[1]"})", "inputJson"},
       }) {
    const auto refused = call(each.tool, each.arguments);
    ASSERT_FALSE(refused.ok()) << each.arguments;
    EXPECT_EQ(refused.error().reason, "ARGUMENT_INVALID") << each.arguments;
    EXPECT_EQ(refused.error().causes.at(0).field, each.field) << each.arguments;
  }
  EXPECT_TRUE(api_.asked.empty()) << "nothing was begun";
  EXPECT_THAT(call("run_list", R"({"phase":"nosuch"})").error().message,
              testing::HasSubstr("Pending, Scheduled, Preparing, Running"));
  const auto gone = call("run_wait", R"({"run":"none"})");
  EXPECT_EQ(gone.error().reason, "RUN_NOT_FOUND");
  EXPECT_THAT(gone.error().causes.back().message, testing::HasSubstr("run_list"));
  api_.folders = false;
  EXPECT_EQ(call("run_start", R"({"command":"x","folder":"a"})").error().reason,
            "ARGUMENT_INVALID");
}

}  // namespace
}  // namespace paddock::mcp
