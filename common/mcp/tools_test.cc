#include "common/mcp/tools.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::mcp {
namespace {

using wire::Value;

// Answers from a list, and remembers what it was asked.
class FakeApi final : public Api {
 public:
  Result<Value> send(const std::string& method, const std::string& target, const Value& body,
                     const std::string& key) override {
    asked.push_back(method + " " + target + (key.empty() ? "" : " key=" + key));
    last_body = body;
    if (answers.empty()) return Error{Code::kNotFound, "RUN_NOT_FOUND", "there is no such run"};
    Value out = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return out;
  }
  Result<Text> read(const std::string& target, size_t) override {
    asked.push_back("READ " + target);
    return Text{text, false};
  }
  bool has_folders() const override { return folders; }
  Result<Uploaded> upload(const std::string&, const std::string& folder) override {
    asked.push_back("UPLOAD " + folder);
    return Uploaded{"w", "r"};
  }
  bool pause(Millis) override { return ++pauses < 1000; }

  std::vector<std::string> asked;
  std::vector<Value> answers;
  Value last_body;
  std::string text = "hello";
  bool folders = true;
  int pauses = 0;
};

Value json(const std::string& text) { return wire::parse_json(text).value(); }
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

TEST_F(McpTools, AreFewAndInAStableOrder) {
  const Server server = make_server(api_, "default", "1");
  std::vector<std::string> names;
  for (const Tool& tool : server.tools) {
    names.push_back(tool.name);
    EXPECT_EQ(tool.input.text("type"), "object") << tool.name;
    EXPECT_EQ(tool.output.text("type"), "object") << tool.name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"run_start", "run_wait", "run_logs", "run_artifacts",
                                      "run_cancel", "run_list", "plan", "nodes", "execute"}));
}

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

TEST_F(McpTools, StartTakesAnyProgramWithItsLimitsAndVariables) {
  api_.answers = {kPending};
  ASSERT_TRUE(call("run_start", R"({"type":"command","command":["sh","-c","a; b"],"memory":"16Gi",)"
                                R"("pids":500,"disk":"20Gi","cpu":2,"env":{"SEED":"1"}})")
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
  EXPECT_EQ(body.at("spec.workspace"), nullptr);
}

TEST_F(McpTools, WaitLooksUntilTheEndOrItsTimeIsOver) {
  api_.answers = {kPending, kPending, kDone};
  const auto done = call("run_wait", R"({"run":"r"})");
  EXPECT_TRUE(*done->find("done")->boolean());
  EXPECT_EQ(done->text("enforced.memory"), "kernel");
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
  ASSERT_TRUE(call("run_logs", R"({"run":"../../nodes/n1?x"})").ok());
  EXPECT_EQ(api_.asked[0],
            "READ /apis/paddock.dev/v1alpha1/namespaces/default/runs/..%2F..%2Fnodes%2Fn1%3Fx/"
            "log?tailLines=200");
}

TEST_F(McpTools, ReturnBytesThatAreNoTextAsBase64) {
  api_.text = "\xff\x00";
  const auto file = call("run_artifacts", R"({"run":"r","path":"out/a b.bin"})");
  EXPECT_EQ(file->text("base64"), base64(api_.text));
  EXPECT_EQ(file->text("text"), "");
}

TEST_F(McpTools, RefuseArgumentsByName) {
  for (const char* arguments :
       {R"({})", R"({"command":"x","rm":"y"})", R"({"command":"x","folder":7})",
        R"({"command":"x","folder":"a","workspace":"b"})"}) {
    EXPECT_EQ(call("run_start", arguments).error().reason, "ARGUMENT_INVALID") << arguments;
  }
  EXPECT_EQ(call("run_wait", R"({"run":"r","timeoutSeconds":46})").error().reason,
            "ARGUMENT_INVALID");
  EXPECT_EQ(call("run_wait", R"({"run":""})").error().reason, "ARGUMENT_INVALID");
  EXPECT_TRUE(api_.asked.empty());
  EXPECT_EQ(call("run_wait", R"({"run":"none"})").error().reason, "RUN_NOT_FOUND");
  api_.folders = false;
  EXPECT_EQ(call("run_start", R"({"command":"x","folder":"a"})").error().reason,
            "ARGUMENT_INVALID");
}

TEST_F(McpTools, ExecuteHandsOverCodeAndInputAndCutsLongOutput) {
  api_.answers = {
      Value(Value::Object{{"success", true},
                          {"stdout", std::string(kMostText + 1, 'x')},
                          {"stderr", ""},
                          {"exit_code", 0},
                          {"execution_time_ms", 3},
                          {"error", Value()},
                          {"validation_errors", Value()}}),
      json(R"({"success":false,"stdout":"","stderr":"","exit_code":-1,"execution_time_ms":1,)"
           R"("error":"Code validation failed","validation_errors":["line 1: import os"]})")};
  const auto done = call("execute", R"({"code":"print","inputData":{"a":1}})");
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(api_.asked, std::vector<std::string>{"POST /execute"});
  EXPECT_EQ(api_.last_body, json(R"({"code":"print","timeout_seconds":10,"input_data":{"a":1}})"));
  const std::string half(kMostText / 2, 'x');
  EXPECT_EQ(done->text("stdout"), cat(half, "\n[TRUNCATED at ", kMostText,
                                      " bytes]\n[1 bytes are left out here]\n", half));
  EXPECT_TRUE(*done->find("truncated")->boolean());
  EXPECT_EQ(done->find("error"), nullptr);
  const auto refused = call("execute", R"({"code":"import os"})");
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->text("error"), "Code validation failed");
  EXPECT_EQ(refused->find("validationErrors")->array()->size(), 1U);
  for (const char* arguments : {R"({})", R"({"code":7})", R"({"code":"x","timeoutSeconds":21})"})
    EXPECT_EQ(call("execute", arguments).error().reason, "ARGUMENT_INVALID") << arguments;
}

}  // namespace
}  // namespace paddock::mcp
