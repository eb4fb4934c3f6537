#include "controller/e2b/commands.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/e2b/connect.h"

namespace paddock::e2b {
namespace {

using wire::Value;

Value json(std::string_view text) { return wire::parse_json(text).value(); }

std::string started(std::string_view process, std::string_view more = "") {
  const auto text = command_text(json(cat("{\"process\": ", process, more, "}")));
  return text.ok() ? *text : cat("refused ", text.error().causes.at(0).field);
}

// The messages in what is written to a stream.
std::vector<Value> messages(std::string_view bytes) {
  std::vector<Value> out;
  while (!bytes.empty()) {
    size_t size = 0;
    for (size_t i = 1; i < 5; ++i) size = size << 8 | static_cast<uint8_t>(bytes[i]);
    out.push_back(json(bytes.substr(5, size)));
    bytes.remove_prefix(5 + size);
  }
  return out;
}

TEST(E2bCommands, WhatTheirToolsStartIsOneCommand) {
  EXPECT_EQ(started(R"({"cmd": "/bin/bash", "args": ["-l", "-c", "echo 'hi' $X"]})"),
            "exec 'bash' '-l' '-c' 'echo '\\''hi'\\'' $X'");
  EXPECT_EQ(started(R"({"cmd": "ls", "cwd": "/home/user/a b", "envs": {"A": "1", "B": "x'y"}})"),
            "cd './a b' 2>/dev/null || { printf '%s\\n' 'cwd: /home/user/a b is no folder of this "
            "sandbox' >&2; exit 1; }; export A='1' && export B='x'\\''y' && exec 'ls'");
  EXPECT_TRUE(started(R"({"cmd": "ls", "cwd": "-x"})").starts_with("cd './-x' 2>"));
  EXPECT_EQ(started(R"({"cmd": "ls", "cwd": "/workspace"})", R"(, "stdin": false, "tag": "")"),
            "exec 'ls'");
}

TEST(E2bCommands, NothingInAValueIsReadByTheShell) {
  for (const char* value : {"$(id)", "`id`", "a\nb", "' ; id ; '", "\\", "\"", "$X", "!!"}) {
    const std::string word = quoted(value);
    EXPECT_TRUE(word.starts_with('\'') && word.ends_with('\''));
    // Between the quotes there is no quote but an escaped one, which stands outside of them.
    std::string plain;
    for (size_t i = 1; i + 1 < word.size();) {
      if (word.substr(i, 4) == "'\\''") {
        plain += '\'';
        i += 4;
      } else {
        ASSERT_NE(word[i], '\'');
        plain += word[i++];
      }
    }
    EXPECT_EQ(plain, value);
  }
}

TEST(E2bCommands, WhatASessionHasNotIsRefusedByItsField) {
  EXPECT_EQ(started(R"({"cmd": "ls"})", R"(, "pty": {"size": {"cols": 80, "rows": 24}})"),
            "refused pty");
  EXPECT_EQ(started(R"({"cmd": "ls"})", R"(, "stdin": true)"), "refused stdin");
  EXPECT_EQ(started(R"({"cmd": "ls"})", R"(, "tag": "t")"), "refused tag");
  EXPECT_EQ(started(R"({"cmd": "ls", "uid": 1})"), "refused process.uid");
  EXPECT_EQ(started(R"({})"), "refused process.cmd");
  EXPECT_EQ(started(R"([])"), "refused process");
  EXPECT_EQ(started(R"({"cmd": "ls", "args": "x"})"), "refused process.args");
  EXPECT_EQ(started(R"({"cmd": "ls", "args": [1]})"), "refused process.args[0]");
  EXPECT_EQ(started(R"({"cmd": "ls", "args": ["a\u0000b"]})"), "refused process.args[0]");
  EXPECT_EQ(started(R"({"cmd": "ls", "cwd": "/etc"})"), "refused process.cwd");
  EXPECT_EQ(started(R"({"cmd": "ls", "cwd": "../x"})"), "refused process.cwd");
  EXPECT_EQ(started(R"({"cmd": "ls", "envs": {"A;id": "x"}})"), "refused process.envs");
  EXPECT_EQ(started(R"({"cmd": "ls", "envs": {"1A": "x"}})"), "refused process.envs");
  EXPECT_EQ(started(R"({"cmd": "ls", "envs": {"A": 1}})"), "refused process.envs.A");
  EXPECT_EQ(started(R"({"cmd": "ls", "envs": {"A": "\u0000"}})"), "refused process.envs.A");
}

TEST(E2bCommands, AProcessIsKnownByItsNumber) {
  EXPECT_EQ(command_id(17), "process-17");
  EXPECT_EQ(*process_of(json(R"({"process": {"pid": 17}})")), 17);
  for (const char* odd : {R"({})", R"({"process": {"tag": "t"}})", R"({"process": {"pid": "17"}})",
                          R"({"process": {"pid": -1}})", R"({"process": {"pid": 4294967296}})"})
    EXPECT_FALSE(process_of(json(odd)).ok()) << odd;
  EXPECT_TRUE(check_signal(json(R"({"signal": "SIGNAL_SIGKILL"})")).ok());
  EXPECT_TRUE(check_signal(json(R"({"signal": 15})")).ok());
  EXPECT_EQ(check_signal(json(R"({"signal": "SIGNAL_SIGHUP"})")).error().reason, "E2B_NOT_SERVED");
  EXPECT_EQ(check_signal(json("{}")).error().reason, "E2B_NOT_SERVED");
}

TEST(E2bCommands, ItsEndIsToldWithWhatWasDeniedOrCut) {
  const auto plain = messages(end_events(json(R"({"exitCode": 3, "stdout": "", "stderr": ""})")));
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(*plain[0].at("event.end.exitCode"), Value(3));
  EXPECT_EQ(*plain[0].at("event.end.exited"), Value(true));
  EXPECT_EQ(plain[0].at("event.end.error"), nullptr);
  EXPECT_EQ(plain[1], Value(Value::Object{}));

  const auto cut = messages(end_events(json(
      R"({"exitCode": 0, "truncated": {"stdout": true, "stderr": false}, "code": "E_LIMIT_OUTPUT"})")));
  EXPECT_NE(cut[0].text("event.end.error").find("stdout was cut"), std::string::npos);
  EXPECT_NE(cut[0].text("event.end.error").find("E_LIMIT_OUTPUT"), std::string::npos);

  const auto denied = messages(end_events(json(
      R"({"exitCode": 126, "reason": "exited with 126", "code": "E_CAPABILITY_DENIED", "denials": [
          {"what": "exec", "target": "/usr/bin/perl", "rule": "tools", "remedy": "add it", "count": 2},
          {"what": "connect", "rule": "network", "remedy": "", "count": 1}]})")));
  EXPECT_EQ(
      denied[0].text("event.end.error"),
      "exited with 126 (E_CAPABILITY_DENIED); denied: exec on /usr/bin/perl, 2 times (tools): "
      "add it; denied: connect (network)");
  std::string many;
  for (int i = 0; i < 7; ++i) many += cat(i == 0 ? "" : ",", R"({"what": "x", "rule": "r"})");
  const auto outlived = messages(end_events(
      json(cat(R"({"exitCode": 0, "code": "E_CAPABILITY_DENIED", "denials": [)", many, "]}"))));
  EXPECT_TRUE(outlived[0].text("event.end.error").starts_with("E_CAPABILITY_DENIED; denied: x"));
  EXPECT_TRUE(outlived[0].text("event.end.error").ends_with("; and 2 more denials"));

  const auto killed = messages(end_events(json(R"({"exitCode": 143, "errorClass": "CANCELLED"})")));
  EXPECT_EQ(*killed[0].at("event.end.exited"), Value(false));
  EXPECT_EQ(killed[0].text("event.end.status"), "signal: killed");

  const auto late = messages(end_events(json(R"({"exitCode": 124, "errorClass": "TIMEOUT"})")));
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].text("error.code"), "deadline_exceeded");
}

TEST(E2bCommands, EventsAreReadInPieces) {
  std::string seen;
  EventReader reader;
  const auto take = [&](std::string_view event, const Value& data) {
    seen += cat(event, "=", wire::to_json(data), ";");
  };
  const std::string stream =
      "event: started\ndata: {\"commandId\":\"c\"}\n\n: comment\n\nevent: stdout\ndata: "
      "{\"base64\":\"aGk=\"}\n\nevent: odd\ndata: {\n\nevent: result\ndata: {\"exitCode\":0}\n\n";
  for (const char c : stream) reader.read(std::string_view(&c, 1), take);
  EXPECT_EQ(seen,
            "started={\"commandId\":\"c\"};stdout={\"base64\":\"aGk=\"};result={\"exitCode\":0};");
}

}  // namespace
}  // namespace paddock::e2b
