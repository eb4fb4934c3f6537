#include "common/mcp/tools.h"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/mcp/answer_room.h"
#include "common/mcp/fake_api_test_support.h"

namespace paddock::mcp {
namespace {

using wire::Value;

const Value kPending =
    json(R"({"metadata":{"name":"r"},"status":{"phase":"Pending","message":"no node fits"}})");
const Value kDone =
    json(R"({"metadata":{"name":"r"},"status":{"phase":"Succeeded","nodeName":"n1","result":)"
         R"({"rc":0,"status":"OK","denials":[],"enforced":{"memory":{"level":"kernel"}}},)"
         R"("artifacts":[{"path":"out/a.txt"}]}})");

class McpTools : public testing::Test {
 protected:
  Result<Value> call(const std::string& tool, const std::string& arguments) {
    return make_server(api_, "default", "1").call(tool, json(arguments));
  }
  FakeApi api_;
};

TEST_F(McpTools, StartUploadsAFolderAndAnswersAtOnceWithAHandle) {
  api_.answers = {kPending};
  const auto started = call("run_start", R"({"command":"python3 a.py","folder":"p","timeout":"5m",)"
                                         R"("accelerator":"nvidia","artifactDirs":["out/"],)"
                                         R"("idempotencyKey":"k1"})");
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(started->text("run"), "r");
  EXPECT_EQ(started->text("message"), "no node fits");
  EXPECT_EQ(api_.asked,
            (std::vector<std::string>{
                "UPLOAD p", "POST /apis/paddock.dev/v1alpha1/namespaces/default/runs key=k1"}));
  EXPECT_EQ(api_.last_body.text("spec.workspace"), "w");
  EXPECT_EQ(api_.last_body.text("spec.workspaceRoot"), "r");
  EXPECT_EQ(api_.last_body.text("spec.resources.accelerators.kind"), "nvidia");
  EXPECT_EQ(api_.last_body.text("metadata.generateName"), "run-");
}

TEST_F(McpTools, StartAndPlanNameWhatOfAFolderTheRunDoesNotSee) {
  api_.left_out = {{{"conf/.env", "built-in: .env"}, {".git/", "built-in: .git/"}}, 7, 1};
  for (const char* tool : {"run_start", "plan"}) {
    api_.answers = {tool == std::string("plan") ? json(R"({"placed":true})") : kPending};
    const auto answer = call(tool, R"({"command":"python3 a.py","folder":"p"})");
    ASSERT_TRUE(answer.ok()) << tool;
    EXPECT_EQ(wire::to_json(*answer->find("leftOut")),
              R"(["conf/.env: built-in: .env",".git/: built-in: .git/"])");
    EXPECT_EQ(*answer->find("secretsLeftOut")->integer(), 1);
    EXPECT_EQ(*answer->find("moreLeftOut")->integer(), 5);
    EXPECT_EQ(wire::to_json(*answer->find("untrusted")), R"(["leftOut"])");
  }
  EXPECT_EQ(api_.asked.at(2), "LOOK p");
  api_.left_out = {};
  const auto all_sent = call("plan", R"({"command":"python3 a.py","folder":"p"})");
  EXPECT_EQ(all_sent->find("leftOut"), nullptr);
}

TEST_F(McpTools, StartSaysWhatTheRunIsBeforeItsFolderIsSent) {
  api_.refuses_upload = invalid_argument("TIMEOUT_OVER_CEILING", "too long", "spec.timeout");
  const auto started =
      call("run_start", R"({"command":"python3 a.py","folder":"p","timeout":"100h"})");
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().causes.at(0).field, "timeout");
  EXPECT_EQ(api_.asked, std::vector<std::string>{"UPLOAD p"});
  EXPECT_EQ(api_.uploaded_for.text("kind"), "Run");
  EXPECT_EQ(api_.uploaded_for.text("spec.timeout"), "100h");
}

TEST_F(McpTools, StartAsksForDomainsWhereAnyAreNamed) {
  api_.answers = {kPending};
  ASSERT_TRUE(call("run_start", R"({"command":"a","allowDomains":["pypi.org"]})").ok());
  EXPECT_EQ(*api_.last_body.at("spec.sandbox.network.allowDomains")->array()->at(0).string(),
            "pypi.org");
  EXPECT_TRUE(*api_.last_body.at("spec.sandbox.network.enabled")->boolean());
  ASSERT_TRUE(call("run_start", R"({"command":"a"})").ok());
  EXPECT_EQ(api_.last_body.at("spec.sandbox"), nullptr);
}

TEST_F(McpTools, StartRefusesALineForAShellAndSaysHowToHaveOne) {
  const auto refused = call("run_start", R"({"command":"echo hi > out.txt","type":"command"})");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "ARGUMENT_INVALID");
  EXPECT_THAT(refused.error().message, testing::HasSubstr(R"(args ["-c", "echo hi > out.txt"])"));
  EXPECT_TRUE(api_.asked.empty());
  api_.answers = {kPending};
  EXPECT_TRUE(call("run_start", R"({"command":"sh","args":["-c","a > b"],"type":"command"})").ok());
}

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
                   R"({"sandbox":"s","command":"a","stdin":"x","timeoutSeconds":1})",
                   "timeoutSeconds stdin"},
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

TEST_F(McpTools, StartTakesAnyProgramWithItsLimitsAndVariables) {
  api_.answers = {kPending};
  ASSERT_TRUE(call("run_start",
                   R"({"type":"command","command":"sh","args":["-c","a; b"],"memory":"16Gi",)"
                   R"("pids":500,"disk":"20Gi","cpu":2,"env":["SEED=1","A=b=c"]})")
                  .ok());
  const Value& body = api_.last_body;
  EXPECT_EQ(body.text("spec.type"), "command");
  EXPECT_EQ(*body.at("spec.command")->array()->at(2).string(), "a; b");
  EXPECT_EQ(body.text("spec.sandbox.limits.memory"), "16Gi");
  EXPECT_EQ(body.text("spec.resources.memory"), "16Gi");
  EXPECT_EQ(body.text("spec.sandbox.limits.fileSize"), "20Gi");
  EXPECT_EQ(*body.at("spec.sandbox.limits.pids")->integer(), 500);
  EXPECT_EQ(*body.at("spec.resources.cpu")->integer(), 2);
  EXPECT_EQ(body.text("spec.sandbox.env.SEED"), "1");
  EXPECT_EQ(body.text("spec.sandbox.env.A"), "b=c");
  EXPECT_EQ(body.at("spec.workspace"), nullptr);
}

TEST_F(McpTools, WaitLooksUntilTheEndOrItsTimeIsOver) {
  api_.answers = {kPending, kPending, kDone};
  const auto done = call("run_wait", R"({"run":"r"})");
  EXPECT_TRUE(*done->find("done")->boolean());
  EXPECT_EQ(*done->find("enforced")->array()->at(0).string(), "memory: kernel");
  EXPECT_EQ(wire::to_json(*done->find("untrusted")), R"(["denials","artifacts"])");
  EXPECT_EQ(*done->find("artifacts")->array()->at(0).string(), "out/a.txt");
  EXPECT_EQ(api_.pauses, 2);
  api_.answers = {kPending};
  api_.pauses = 0;
  const auto waiting = call("run_wait", R"({"run":"r","timeoutSeconds":2})");
  EXPECT_FALSE(*waiting->find("done")->boolean());
  EXPECT_EQ(api_.pauses, 8);
  EXPECT_EQ(waiting->find("rc"), nullptr);
}

TEST_F(McpTools, NamesAreNeverTakenForPaths) {
  const std::string names[] = {"../../nodes/n1?x",   "a/b",    "other:r", "A",  "r\\n",
                               std::string(64, 'a'), "r%2f..", ".",       "..", " r"};
  for (const std::string& name : names) {
    for (const char* tool : {"run_wait", "run_logs", "run_cancel", "run_artifacts"}) {
      const auto refused = call(tool, R"({"run":")" + name + "\"}");
      ASSERT_FALSE(refused.ok()) << name;
      EXPECT_EQ(refused.error().reason, "ARGUMENT_INVALID") << name;
    }
    EXPECT_FALSE(call("sandbox_exec", R"({"command":"x","sandbox":")" + name + "\"}").ok()) << name;
    EXPECT_FALSE(call("run_start", R"({"command":"x","workspace":")" + name + "\"}").ok()) << name;
  }
  EXPECT_TRUE(api_.asked.empty());
}

TEST_F(McpTools, ReturnBytesThatAreNoTextAsBase64) {
  api_.text = std::string("\xff\x00z", 3);
  const auto file = call("run_artifacts", R"({"run":"r","path":"out/a b.bin"})");
  EXPECT_EQ(file->text("base64"), base64(api_.text));
  EXPECT_EQ(file->find("text"), nullptr);
  EXPECT_EQ(file->find("next"), nullptr);
  EXPECT_EQ(wire::to_json(*file->find("untrusted")), R"(["base64"])");
}

// A file is what its parts are, whatever is in it.
TEST_F(McpTools, ReadLongFilesInParts) {
  for (const std::string& piece :
       {std::string("line\n"), std::string("\xc3\xa4\xe2\x82\xac\x01\"")}) {
    api_.text.clear();
    while (api_.text.size() < 200'000) api_.text += piece;
    std::string whole;
    int64_t offset = 0;
    int parts = 0;
    for (bool more = true; more; ++parts) {
      const auto part =
          call("run_artifacts", cat(R"({"run":"r","path":"a","offset":)", offset, "}"));
      ASSERT_TRUE(part.ok());
      EXPECT_LE(room_for_value(*part), kMostLine);
      ASSERT_EQ(part->find("base64"), nullptr) << "never cut within a character";
      whole += part->text("text");
      more = part->find("next") != nullptr;
      if (more) offset = *part->find("next")->integer();
    }
    EXPECT_EQ(whole, api_.text);
    EXPECT_GT(parts, 5);
  }
}

TEST_F(McpTools, AnswerWithTheEndOfALog) {
  api_.text = std::string(100'000, 'a') + "\nthe end";
  const auto end = call("run_logs", R"({"run":"r"})");
  EXPECT_TRUE(end->text("text").ends_with("the end"));
  EXPECT_TRUE(*end->find("truncated")->boolean());
  EXPECT_LE(room_for_value(*end), kMostLine);
  const auto start = call("run_logs", R"({"run":"r","offset":0})");
  EXPECT_TRUE(start->text("text").starts_with("aaa"));
  EXPECT_NE(start->find("next"), nullptr);
}

TEST_F(McpTools, ListTheNewestFirstInPages) {
  api_.answers = {
      json(R"({"metadata":{"continue":"dG9r+w=="},"items":[{"metadata":{"name":"r",)"
           R"("creationTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Running"}}]})")};
  const auto page = call("run_list", R"({"phase":"Running","limit":1,"cursor":"x/&y"})");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(api_.asked[0],
            "GET /apis/paddock.dev/v1alpha1/namespaces/default/runs?order=newest&"
            "fieldSelector=status.phase%3DRunning&limit=1&continue=x%2F%26y");
  EXPECT_EQ(page->text("next"), "dG9r+w==");
  EXPECT_EQ(page->find("runs")->array()->at(0).text("createdAt"), "2026-01-01T00:00:00Z");
}

// However much there is to say, a list is one line that clients read.
TEST_F(McpTools, ListsAreBoundedToo) {
  Value::Array runs;
  Value::Array nodes;
  for (int64_t i = 0; i < kMostListed; ++i) {
    const std::string name(63, 'n');
    runs.push_back(Value::Object{
        {"metadata", Value::Object{{"name", name}, {"creationTimestamp", "2026-01-01T00:00:00Z"}}},
        {"status", Value::Object{{"phase", "Pending"},
                                 {"reason", std::string(60, 'R')},
                                 {"message", std::string(4000, '"')}}}});
    Value::Array devices;
    for (int each = 0; each < 16; ++each)
      devices.push_back(
          Value::Object{{"kind", "nvidia"}, {"model", std::string(500, char('a' + each))}});
    nodes.push_back(Value::Object{
        {"metadata", Value::Object{{"name", name}}},
        {"status", Value::Object{{"os", "linux"}, {"arch", "x86_64"}, {"devices", devices}}}});
  }
  const Value page = Value::Object{{"continue", std::string(600, 'c')}};
  api_.answers = {Value(Value::Object{{"metadata", page}, {"items", runs}})};
  EXPECT_LE(room_for_value(*call("run_list", R"({"limit":50})")), kMostLine);
  api_.answers = {Value(Value::Object{{"metadata", page}, {"items", nodes}})};
  EXPECT_LE(room_for_value(*call("nodes", R"({"limit":50})")), kMostLine);
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

TEST_F(McpTools, ExecuteHandsOverCodeAndInputAndCutsLongOutput) {
  const std::string out = std::string(300'000, 'x') + std::string(300'000, '\x01');
  api_.answers = {
      Value(Value::Object{{"success", true},
                          {"stdout", out},
                          {"stderr", std::string(100'000, '"')},
                          {"exit_code", 0},
                          {"execution_time_ms", 3},
                          {"error", Value()},
                          {"validation_errors", Value()}}),
      json(R"({"success":false,"stdout":"","stderr":"","exit_code":-1,"execution_time_ms":1,)"
           R"("error":"Code validation failed","validation_errors":["line 1: import os"]})")};
  const auto done = call("execute", R"({"code":"print","inputJson":"{\"a\":1}"})");
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(api_.asked, std::vector<std::string>{"POST /execute"});
  EXPECT_EQ(api_.last_body, json(R"({"code":"print","timeout_seconds":10,"input_data":{"a":1}})"));
  EXPECT_LE(room_for_value(*done), kMostLine) << "clients read lines of at most 64 KiB";
  EXPECT_TRUE(done->text("stdout").starts_with("xxxx"));
  EXPECT_TRUE(done->text("stdout").ends_with("\x01"));
  EXPECT_THAT(done->text("stdout"), testing::ContainsRegex("\n\\[[0-9]+ bytes "));
  EXPECT_TRUE(*done->find("truncated")->boolean());
  EXPECT_EQ(done->find("error"), nullptr);
  EXPECT_EQ(wire::to_json(*done->find("untrusted")), R"(["stdout","stderr"])");
  const auto refused = call("execute", R"({"code":"import os"})");
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->text("error"), "Code validation failed");
  EXPECT_EQ(refused->find("validationErrors")->array()->size(), 1U);
}

}  // namespace
}  // namespace paddock::mcp
