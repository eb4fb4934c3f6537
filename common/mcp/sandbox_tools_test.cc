#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/mcp/answer_room.h"
#include "common/mcp/fake_api_test_support.h"

namespace paddock::mcp {
namespace {

using wire::Value;

constexpr const char* kSessions = "/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes";
constexpr const char* kWorkspaces = "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces";

class McpSandboxes : public testing::Test {
 protected:
  Result<Value> call(const std::string& tool, const std::string& arguments) {
    return make_server(api_, "default", "1").call(tool, json(arguments));
  }
  FakeApi api_;
};

TEST_F(McpSandboxes, AreCreatedWithTheirLimits) {
  api_.answers = {json(R"({"metadata":{"name":"s"},"status":{"phase":"Ready","nodeName":"n"}})")};
  const auto made =
      call("sandbox_create", R"({"memory":"512Mi","disk":"1Gi","tools":["node"],"idleMinutes":5,)"
                             R"("allowDomains":["pypi.org"],"idempotencyKey":"k"})");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(wire::to_json(*made), R"({"sandbox":"s","phase":"Ready","node":"n"})");
  EXPECT_EQ(api_.asked[0], cat("POST ", kSessions, " key=k"));
  EXPECT_EQ(wire::to_json(*api_.last_body.find("spec")),
            R"({"security":{"limits":{"timeoutMs":45000,"memoryBytes":536870912,)"
            R"("fsBytes":1073741824},"toolAllowlist":["node"],"network":{"enabled":true,)"
            R"("allowDomains":["pypi.org"]}},"idleTimeout":"5m"})");
  EXPECT_EQ(call("sandbox_create", R"({"memory":"much"})").error().causes[0].field, "memory");
  EXPECT_EQ(call("sandbox_create", R"({"name":"A b"})").error().causes[0].field, "name");
  EXPECT_EQ(call("sandbox_create", R"({"commandTimeoutSeconds":601})").error().reason,
            "ARGUMENT_INVALID");
}

TEST_F(McpSandboxes, RunCommands) {
  api_.answers = {Value(Value::Object{
      {"exitCode", 1},
      {"stdout", std::string(100'000, 'o')},
      {"stderr", "why"},
      {"errorClass", "CAPABILITY_DENIED"},
      {"denials",
       json(R"([{"what":"connect","target":"1.2.3.4:80","rule":"network","remedy":"x"}])")}})};
  const auto done = call("sandbox_exec", R"({"sandbox":"s","command":"ls | wc"})");
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(api_.asked[0], cat("POST ", kSessions, "/s/commands"));
  EXPECT_EQ(wire::to_json(api_.last_body), R"({"command":"ls | wc"})");
  EXPECT_EQ(done->text("stderr"), "why");
  EXPECT_TRUE(*done->find("truncated")->boolean());
  EXPECT_LE(room_for_value(*done), kMostLine);
  EXPECT_EQ(done->find("denials")->array()->at(0).text("target"), "1.2.3.4:80");
  EXPECT_EQ(wire::to_json(*done->find("untrusted")), R"(["stdout","stderr","denials"])");
}

TEST_F(McpSandboxes, RunCommandsInRunsToo) {
  const Value ended = json(R"({"exitCode":0,"stdout":"3\n","stderr":""})");
  api_.answers = {ended, ended, ended};
  ASSERT_TRUE(call("sandbox_exec", R"({"run":"r","command":"ls | wc -l"})").ok());
  EXPECT_EQ(api_.asked[0], "POST /apis/paddock.dev/v1alpha1/namespaces/default/runs/r/commands");
  EXPECT_EQ(wire::to_json(api_.last_body),
            R"({"command":["sh","-c","ls | wc -l"],"timeoutMs":45000})");
  ASSERT_TRUE(call("sandbox_exec", R"({"run":"r","command":"ls","timeoutSeconds":7})").ok());
  EXPECT_EQ(*api_.last_body.find("timeoutMs")->integer(), 7000);
  EXPECT_EQ(api_.last_body.find("stdin"), nullptr);
  ASSERT_TRUE(call("sandbox_exec", R"({"run":"r","command":"cat","stdin":"a\n"})").ok());
  EXPECT_EQ(api_.last_body.text("stdin"), "YQo=");
}

TEST_F(McpSandboxes, GiveACommandItsOwnTimeByAnIdToCancelItBy) {
  api_.answers = {json(R"({"exitCode":3,"stdout":"","stderr":""})")};
  const auto done = call("sandbox_exec", R"({"sandbox":"s","command":"a","timeoutSeconds":600})");
  ASSERT_TRUE(done.ok()) << done.error().describe();
  EXPECT_EQ(*done->find("exitCode")->integer(), 3);
  EXPECT_EQ(api_.last_body.text("commandId").size(), 36U);
  ASSERT_TRUE(call("sandbox_exec", R"({"sandbox":"s","command":"a"})").ok());
  EXPECT_EQ(wire::to_json(api_.last_body), R"({"command":"a"})");
}

TEST_F(McpSandboxes, RunCommandsInOnePlaceThatIsNamed) {
  struct Case {
    const char* arguments;
    const char* field;
  };
  for (const Case& each :
       {Case{R"({"command":"ls"})", "sandbox"},
        Case{R"({"command":"ls","run":"r","sandbox":"s"})", "run"},
        Case{R"({"command":"ls","run":"../s"})", "run"},
        Case{R"({"command":"ls","run":"r","timeoutSeconds":601})", "timeoutSeconds"},
        Case{R"({"command":"ls","sandbox":"s","timeoutSeconds":601})", "timeoutSeconds"},
        Case{R"({"command":"cat","sandbox":"s","stdin":"a"})", "stdin"}}) {
    const auto refused = call("sandbox_exec", each.arguments);
    ASSERT_FALSE(refused.ok()) << each.arguments;
    EXPECT_EQ(refused.error().reason, "ARGUMENT_INVALID");
    EXPECT_EQ(refused.error().causes[0].field, each.field) << each.arguments;
  }
  EXPECT_TRUE(api_.asked.empty());
}

TEST_F(McpSandboxes, SayThatASessionIsGone) {
  api_.missing = {Code::kGone, "SESSION_ENDED", "the session ended: IDLE_TIMEOUT"};
  const auto gone = call("sandbox_exec", R"({"sandbox":"s","command":"ls"})");
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().reason, "SESSION_ENDED");
  EXPECT_NE(gone.error().causes.back().message.find("sandbox_create"), std::string::npos)
      << "the tool that makes another one";
}

TEST_F(McpSandboxes, ReadAndWriteFilesByThePathsThatProgramsSee) {
  for (const char* path :
       {"a/b c.py", "/workspace/a/b c.py", "./a/b c.py", "/workspace//a/b c.py"}) {
    api_.asked.clear();
    ASSERT_TRUE(
        call("sandbox_write", cat(R"({"sandbox":"s","text":"x","path":")", path, "\"}")).ok());
    EXPECT_EQ(api_.asked[0], cat("PUT ", kSessions, "/s/files/a/b%20c.py")) << path;
    const auto read = call("sandbox_read", cat(R"({"sandbox":"s","path":")", path, "\"}"));
    EXPECT_EQ(read->text("path"), "a/b c.py");
    EXPECT_EQ(read->text("text"), "hello");
  }
  EXPECT_EQ(api_.sent[0], "x");
  ASSERT_TRUE(call("sandbox_write", R"({"sandbox":"s","base64":"/wA=","path":"b"})").ok());
  EXPECT_EQ(api_.sent.back(), std::string("\xff\0", 2));
}

TEST_F(McpSandboxes, RefusePathsThatLeadOut) {
  for (const char* path : {"../x", "/etc/passwd", "a/../../x", "/workspace/../etc", "/workspacex/a",
                           "a\\nb", "a\\\\b", "a//b", "a/./b", "..", "/"}) {
    for (const char* tool : {"sandbox_read", "sandbox_write"}) {
      const std::string content = tool == std::string("sandbox_write") ? R"(,"text":"")" : "";
      const auto refused = call(tool, cat(R"({"sandbox":"s","path":")", path, "\"", content, "}"));
      ASSERT_FALSE(refused.ok()) << tool << path;
      EXPECT_EQ(refused.error().causes[0].field, "path") << path;
    }
  }
  for (const char* content : {"", R"(,"text":"a","base64":"YQ==")", R"(,"base64":"@")"})
    EXPECT_EQ(
        call("sandbox_write", cat(R"({"sandbox":"s","path":"a")", content, "}")).error().reason,
        "ARGUMENT_INVALID");
  EXPECT_EQ(call("sandbox_write", R"({"sandbox":"s","path":".","text":""})").error().reason,
            "ARGUMENT_INVALID");
  EXPECT_TRUE(api_.asked.empty());
}

TEST_F(McpSandboxes, ListFoldersInParts) {
  api_.folder = true;
  Value::Array files;
  for (int i = 0; i < 1200; ++i)
    files.push_back(Value::Object{{"name", cat("f", i)}, {"type", "file"}, {"size", i}});
  api_.answers = {Value(Value::Object{{"path", ""}, {"files", files}})};
  size_t seen = 0;
  int64_t offset = 0;
  for (bool more = true; more;) {
    const auto part = call("sandbox_read", cat(R"({"sandbox":"s","offset":)", offset, "}"));
    ASSERT_TRUE(part.ok());
    EXPECT_LE(room_for_value(*part), kMostLine);
    seen += part->find("entries")->array()->size();
    more = part->find("next") != nullptr;
    if (more) offset = *part->find("next")->integer();
  }
  EXPECT_EQ(seen, files.size());
}

// A program swaps a folder and a file between the two requests that a listing takes.
TEST_F(McpSandboxes, TakeNoFileForAFolder) {
  api_.folder = true;
  for (const char* written : {R"({"files":1})", R"({"files":[{"name":1}]})", "[]", "1",
                              R"({"a":1})", R"({"files":[{"type":"file","size":"x"}]})"}) {
    api_.answers = {json(written)};
    EXPECT_EQ(call("sandbox_read", R"({"sandbox":"s","path":"x"})").error().reason, "FILE_CHANGED")
        << written;
  }
  for (const char* written : {"{}", R"({"files":[{}]})", R"({"files":[{"type":"file"}]})"}) {
    api_.answers = {json(written)};
    EXPECT_TRUE(call("sandbox_read", R"({"sandbox":"s","path":"x"})").ok()) << written;
  }
}

TEST_F(McpSandboxes, AreListedAndDestroyed) {
  api_.answers = {
      json(R"({"metadata":{},"items":[{"metadata":{"name":"s"},"status":{"phase":"Ended",)"
           R"("reason":"IDLE_TIMEOUT"}}]})")};
  const auto page = call("sandbox_list", R"({"phase":"Ended"})");
  EXPECT_EQ(page->find("sandboxes")->array()->at(0).text("reason"), "IDLE_TIMEOUT");
  EXPECT_EQ(page->find("next"), nullptr);
  ASSERT_TRUE(call("sandbox_destroy", R"({"sandbox":"s"})").ok());
  EXPECT_EQ(api_.asked,
            (std::vector<std::string>{
                cat("GET ", kSessions, "?order=newest&fieldSelector=status.phase%3DEnded&limit=20"),
                cat("DELETE ", kSessions, "/s")}));
}

TEST_F(McpSandboxes, FilesOfACallBecomeAWorkspace) {
  const std::string kSecond = "c865f6c5ab8d1b0bcd383a5e1e3879d22681c96bf462c269b7581d523fbe70ab";
  api_.answers = {
      json("{}"),
      json(R"({"root":"","stored":false,"missing":[")" + kSecond + R"("],"compressions":[]})"),
      json(R"({"root":"x","stored":true,"missing":[],"compressions":[]})")};
  const std::string files =
      R"({"files":[{"path":"z.txt","text":"z\n"},{"path":"a.txt","text":"a\n","executable":true}]})";
  const auto made = call("workspace_create", files);
  ASSERT_TRUE(made.ok()) << made.error().describe();
  EXPECT_EQ(*made->find("files")->integer(), 2);
  const std::string name = made->text("workspace");
  EXPECT_EQ(name, "files-" + made->text("root").substr(0, 16));
  const std::string workspace = cat(kWorkspaces, "/", name);
  EXPECT_EQ(api_.asked,
            (std::vector<std::string>{cat("POST ", kWorkspaces), cat("POST ", workspace, "/tree"),
                                      cat("PUT ", workspace, "/blobs/", kSecond),
                                      cat("POST ", workspace, "/tree")}));
  EXPECT_EQ(api_.last_body.find("entries")->array()->at(0).text("path"), "a.txt");
}

TEST_F(McpSandboxes, RefuseFilesByTheirPlace) {
  struct Case {
    const char* arguments;
    const char* field;
  };
  for (
      const Case& each : {
          Case{R"({"files":[]})", "files"},
          Case{R"({"files":[{"path":"a"}]})", "files[0].text"},
          Case{R"({"files":[{"path":"a","text":""},{"path":"../b","text":""}]})", "files[1].path"},
          Case{R"({"files":[{"path":"a","text":"","mode":7}]})", "files[0].\"mode\""},
          Case{R"({"files":[{"text":""}]})", "files[0].path"},
          Case{R"({"files":[{"path":"a","base64":"a"}]})", "files[0].base64"},
          Case{R"({"files":["a"]})", "files[0]"},
          Case{R"({"files":[{"path":"a","text":""}],"name":"../x"})", "name"},
          Case{
              R"({"files":[{"path":"b","text":""},{"path":"a","text":""},{"path":"b","text":""}]})",
              "files[2].path"},
          Case{R"({"files":[{"path":"/workspace/b","text":""},{"path":"b","text":""}]})",
               "files[1].path"},
          Case{
              R"({"files":[{"path":"a/b","text":""},{"path":"c","text":""},{"path":"a","text":""}]})",
              "files[0].path"},
          Case{
              R"({"files":[{"path":"b","text":""},{"path":"a","text":""},{"path":"B","text":""}]})",
              "files[0].path"},
      }) {
    const auto refused = call("workspace_create", each.arguments);
    ASSERT_FALSE(refused.ok()) << each.arguments;
    EXPECT_EQ(refused.error().causes.at(0).field, each.field) << each.arguments;
  }
  EXPECT_TRUE(api_.asked.empty());
}

TEST_F(McpSandboxes, RefuseAllFilesThatAreWrongAtOnce) {
  const auto refused =
      call("workspace_create", R"({"files":[{"path":"a"},{"path":"b","text":"","base64":""},)"
                               R"({"path":"c","text":""}]})");
  std::vector<std::string> told;
  for (const Cause& each : refused.error().causes) told.push_back(each.field);
  EXPECT_EQ(told, (std::vector<std::string>{"files[0].text", "files[1].text"}));
  const auto twice =
      call("workspace_create", R"({"files":[{"path":"c","text":""},{"path":"c","text":""},)"
                               R"({"path":"a","text":""},{"path":"c","text":""}]})");
  EXPECT_EQ(twice.error().message, "files[1].path is that of files[0].path, too (and 1 more)");
  EXPECT_EQ(twice.error().reason, "INVALID_FIELD");
  EXPECT_EQ(twice.error().causes.at(1).field, "files[3].path");
  EXPECT_TRUE(api_.asked.empty()) << "no workspace stays empty";
}

}  // namespace
}  // namespace paddock::mcp
