#include "common/mcp/tools.h"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/mcp/answer_room.h"
#include "common/mcp/tools_test_support.h"

namespace paddock::mcp {
namespace {

using wire::Value;

const Value kDone =
    json(R"({"metadata":{"name":"r"},"status":{"phase":"Succeeded","nodeName":"n1","result":)"
         R"({"rc":0,"status":"OK","denials":[],"enforced":{"memory":{"level":"kernel"}}},)"
         R"("artifacts":[{"path":"out/a.txt"}]}})");

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
