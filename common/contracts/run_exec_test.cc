#include "common/contracts/run_exec.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

bool reads(const std::string& text) {
  const auto document = wire::parse_json(text, {.max_bytes = 1 << 20});
  return document.ok() && wire::decode<RunCommandRequest>(*document).ok();
}

std::string of_word(size_t bytes) { return R"({"command":[")" + std::string(bytes, 'x') + "\"]}"; }

TEST(RunCommand, IsBoundedInAllThatItSays) {
  EXPECT_TRUE(reads(R"({"command":["sh","-c",""],"commandId":"a-1","timeoutMs":3600000})"));
  EXPECT_TRUE(reads(R"({"command":["cat"],"stdin":"YQ=="})"));
  EXPECT_TRUE(reads(of_word(run_exec::kMostCommandBytes - 1)));
  EXPECT_FALSE(reads(of_word(run_exec::kMostCommandBytes)));
  for (const char* wrong :
       {"{}", R"({"command":[]})", R"({"command":[""]})", R"({"command":["a\u0000"]})",
        R"({"command":["a"],"commandId":"A"})", R"({"command":["a"],"commandId":"../x"})",
        R"({"command":["a"],"timeoutMs":0})", R"({"command":["a"],"timeoutMs":3600001})",
        R"({"command":["a"],"uid":0})", R"({"command":["a"],"stdin":"@"})",
        R"({"command":["a"],"stdin":"YQ"})", R"({"command":["a"],"stdin":1})"})
    EXPECT_FALSE(reads(wrong)) << wrong;
}

bool reads_piece(const std::string& text) {
  const auto document = wire::parse_json(text, {.max_bytes = 1 << 20});
  return document.ok() && wire::decode<InputPiece>(*document).ok();
}

TEST(RunCommand, HasATerminalOfASizeThatTerminalsHave) {
  for (const char* right :
       {R"({"command":["sh"],"terminal":{}})",
        R"({"command":["sh"],"terminal":{"rows":1,"columns":4096},"timeoutMs":86400000})",
        R"({"command":["cat"],"commandId":"a","stdinComes":true})"})
    EXPECT_TRUE(reads(right)) << right;
  for (const char* wrong :
       {R"({"command":["sh"],"terminal":{"rows":0,"columns":80}})",
        R"({"command":["sh"],"terminal":{"rows":24,"columns":4097}})",
        R"({"command":["sh"],"terminal":{"rows":-1,"columns":80}})",
        R"({"command":["sh"],"terminal":{"rows":24.5,"columns":80}})",
        R"({"command":["sh"],"terminal":true})", R"({"command":["sh"],"terminal":{"x":1}})",
        R"({"command":["sh"],"terminal":{},"timeoutMs":86400001})",
        R"({"command":["sh"],"terminal":{},"stdin":"YQ=="})",
        R"({"command":["cat"],"stdinComes":true})",
        R"({"command":["cat"],"commandId":"a","stdinComes":true,"stdin":"YQ=="})"})
    EXPECT_FALSE(reads(wrong)) << wrong;
}

// A controller, an agent or a launcher of an earlier release refuses the word.
TEST(RunCommand, SaysOfInputThatComesOnlyWhereItDoes) {
  RunCommandRequest request{.command = {"cat"}, .command_id = "a"};
  EXPECT_EQ(wire::encode(request).find("stdinComes"), nullptr);
  EXPECT_EQ(wire::encode(ExecOrder{.run_uid = "r"}).find("stdinComes"), nullptr);
  request.input_comes = true;
  EXPECT_EQ(*wire::encode(request).find("stdinComes"), wire::Value(true));
}

TEST(RunCommand, ReadsItsInputInBoundedPieces) {
  for (const char* right : {R"({"seq":1,"data":"YQ=="})", R"({"seq":9,"end":true})",
                            R"({"seq":2,"terminal":{"rows":3,"columns":4}})"})
    EXPECT_TRUE(reads_piece(right)) << right;
  const auto of = [](size_t bytes) {
    return R"({"seq":1,"data":")" + base64(std::string(bytes, 'x')) + "\"}";
  };
  EXPECT_TRUE(reads_piece(of(run_exec::kMostPieceBytes)));
  EXPECT_FALSE(reads_piece(of(run_exec::kMostPieceBytes + 1)));
  for (const char* wrong :
       {R"({"seq":1})", R"({"data":"YQ=="})", R"({"seq":0,"data":"YQ=="})",
        R"({"seq":-1,"data":"YQ=="})", R"({"seq":1,"data":"Y"})",
        R"({"seq":1,"terminal":{"rows":0,"columns":1}})", R"({"seq":1,"data":"YQ==","x":1})"})
    EXPECT_FALSE(reads_piece(wrong)) << wrong;
}

}  // namespace
}  // namespace paddock::contracts
