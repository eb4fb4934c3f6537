#include "common/mcp/protocol.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::mcp {
namespace {

using wire::Value;

Server server() {
  Server out{"paddock", "1.0", "be kind", {}, {}};
  out.tools.push_back({"echo", "Echo", "says it again", Value::Object{{"type", "object"}},
                       Value::Object{{"type", "object"}}, true});
  out.call = [](const std::string&, const Value& arguments) -> Result<Value> {
    if (arguments.find("fail") != nullptr)
      return Error{Code::kUnavailable, "NO_NODE", "no node is there", {{"x", "y"}}};
    return arguments;
  };
  return out;
}

const std::string kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                          R"("io.modelcontextprotocol/clientCapabilities":{}})";

Reply ask(const std::string& text, const Envelope& envelope = {}) {
  return handle(server(), wire::parse_json(text).value(), envelope);
}
std::string modern(const std::string& method, const std::string& params = "") {
  return R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":{)" + params +
         (params.empty() ? "" : ",") + kMeta + "}}";
}
std::string legacy(const std::string& method, const std::string& params = "{}") {
  return R"({"jsonrpc":"2.0","id":"a","method":")" + method + R"(","params":)" + params + "}";
}
int64_t code(const Reply& reply) { return *reply.message->at("error.code")->integer(); }

TEST(Mcp, AnswersTheStatelessEra) {
  const Reply reply = ask(modern("server/discover"));
  const Value& result = *reply.message->find("result");
  EXPECT_EQ(result.text("resultType"), "complete");
  EXPECT_EQ(*result.find("supportedVersions")->array()->at(0).string(), "2026-07-28");
  EXPECT_EQ(result.text("cacheScope"), "public");
  EXPECT_NE(result.find("ttlMs"), nullptr);
  EXPECT_EQ(result.find("_meta")->find("io.modelcontextprotocol/serverInfo")->text("name"),
            "paddock");
  const Reply called = ask(modern("tools/call", R"("name":"echo","arguments":{"a":1})"));
  EXPECT_EQ(called.message->text("result.resultType"), "complete");
  EXPECT_EQ(wire::to_json(*called.message->at("result.structuredContent")), R"({"a":1})");
}

TEST(Mcp, AnswersTheEraOfHandshakes) {
  const Reply hello = ask(legacy("initialize", R"({"protocolVersion":"2025-06-18"})"));
  EXPECT_EQ(hello.message->text("result.protocolVersion"), "2025-06-18");
  EXPECT_EQ(hello.message->at("result.resultType"), nullptr);
  const Reply newer = ask(legacy("initialize", R"({"protocolVersion":"2026-07-28"})"));
  EXPECT_EQ(newer.message->text("result.protocolVersion"), "2025-11-25");
  const Reply quiet = ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_FALSE(quiet.message);
  EXPECT_EQ(quiet.http_status, 202);
  EXPECT_TRUE(ask(legacy("ping")).message->find("result"));
  const Reply list = ask(legacy("tools/list"));
  const Value& tool = list.message->at("result.tools")->array()->at(0);
  EXPECT_EQ(tool.text("name"), "echo");
  EXPECT_TRUE(*tool.at("annotations.readOnlyHint")->boolean());
  EXPECT_EQ(list.message->at("result.ttlMs"), nullptr);
}

TEST(Mcp, AFailedToolSaysWhyAndWhetherToTryAgain) {
  const Reply reply = ask(modern("tools/call", R"("name":"echo","arguments":{"fail":true})"));
  EXPECT_TRUE(*reply.message->at("result.isError")->boolean());
  const std::string text = reply.message->at("result.content")->array()->at(0).text("text");
  EXPECT_NE(text.find(R"("code":"NO_NODE")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("retryable":true)"), std::string::npos) << text;
}

TEST(Mcp, ARefusalIsALineThatClientsReadHoweverLongItsCause) {
  Server quoting = server();
  quoting.call = [](const std::string&, const Value&) -> Result<Value> {
    Error error{Code::kInvalidArgument, "INVALID_FIELD", std::string(100'000, '"')};
    for (int i = 0; i < 500; ++i)
      error.causes.push_back({std::string(5'000, 'f'), std::string(5'000, '\n')});
    return error;
  };
  const std::string text = legacy("tools/call", R"({"name":"echo"})");
  const Reply reply = handle(quoting, wire::parse_json(text).value());
  EXPECT_LE(wire::to_json(*reply.message).size(), size_t{64} << 10);
  const Reply unknown =
      ask(legacy("tools/call", cat(R"({"name":")", std::string(100'000, 'x'), R"("})")));
  EXPECT_LE(wire::to_json(*unknown.message).size(), size_t{64} << 10);
}

TEST(Mcp, RefusesWhatItDoesNotSpeak) {
  EXPECT_EQ(code(ask(modern("initialize"))), -32601) << "that era has none";
  EXPECT_EQ(ask(modern("nope")).http_status, 404);
  EXPECT_EQ(code(ask(legacy("nope"))), -32601);
  EXPECT_EQ(code(ask(modern("tools/call", R"("name":"none")"))), -32602);
  EXPECT_EQ(code(ask(modern("tools/call", R"("name":"echo","arguments":[1])"))), -32602);
  const Reply none = ask(modern("tools/call", R"("name":"echo","arguments":null)"));
  EXPECT_NE(none.message->find("result"), nullptr) << "as if nothing were given";
  const Reply old = ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
                        R"({"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}})");
  EXPECT_EQ(code(old), -32022);
  EXPECT_EQ(old.http_status, 400);
  EXPECT_EQ(old.message->text("error.data.requested"), "1900-01-01");
  const Reply bare = ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
                         R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_EQ(code(bare), -32602) << "no client capabilities";
}

TEST(Mcp, RefusesWhatIsNoRequest) {
  for (const char* text : {"[]", "{}", "7", "null", R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":{},"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":7})",
                           R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"}) {
    EXPECT_EQ(code(ask(text)), -32600) << text;
  }
  EXPECT_EQ(code(parse_failure("no JSON")), -32700);
}

// An `id` is a string or a number in the protocol's schema, and may be left out of an error.
TEST(Mcp, AnErrorAboutAnUnreadableIdHasNone) {
  for (const Reply& reply : {parse_failure("no JSON"), ask("{}"), ask("[]"),
                             ask(R"({"jsonrpc":"2.0","id":null,"method":"ping"})")})
    EXPECT_EQ(reply.message->find("id"), nullptr);
  EXPECT_EQ(*ask(R"({"jsonrpc":"2.0","id":"a","method":7})").message->find("id"), Value("a"));
}

TEST(Mcp, ALongIdDoesNotComeBack) {
  const auto ping = [](size_t length) {
    return cat(R"({"jsonrpc":"2.0","id":")", std::string(length, 'x'), R"(","method":"ping"})");
  };
  EXPECT_EQ(ask(ping(1024)).message->text("id").size(), 1024U);
  EXPECT_EQ(code(ask(ping(1025))), -32600);
  EXPECT_EQ(ask(ping(70'000)).message->find("id"), nullptr);
  EXPECT_EQ(too_many_calls(wire::parse_json(ping(70'000)).value()).message->find("id"), nullptr);
}

TEST(Mcp, HeadersHaveToAgreeWithTheMessage) {
  const std::string call = modern("tools/call", R"("name":"echo")");
  const Envelope good{true, "2026-07-28", "tools/call", "echo"};
  EXPECT_TRUE(ask(call, good).message->find("result"));
  for (Envelope bad :
       {Envelope{true, "2025-11-25", "tools/call", "echo"},
        Envelope{true, "2026-07-28", "tools/list", "echo"},
        Envelope{true, "2026-07-28", "tools/call", "other"}, Envelope{true, "", "", ""}}) {
    EXPECT_EQ(code(ask(call, bad)), -32020);
    EXPECT_EQ(ask(call, bad).http_status, 400);
  }
  EXPECT_EQ(code(ask(legacy("tools/list"), {true, "2026-07-28", "tools/list", ""})), -32602);
  EXPECT_TRUE(ask(legacy("tools/list"), {true, "2025-11-25", "", ""}).message->find("result"));
  for (const char* version : {"2023-01-01", "latest", "2027-01-01"}) {
    EXPECT_EQ(code(ask(legacy("tools/list"), {true, version, "", ""})), -32022) << version;
    EXPECT_EQ(ask(legacy("tools/list"), {true, version, "", ""}).http_status, 400) << version;
  }
}

// The one version that had batches says that servers take them.
TEST(Mcp, AnswersABatchOfTheVersionThatHasThem) {
  const std::string batch = cat("[", legacy("ping"), ",", legacy("nope"),
                                R"(,{"jsonrpc":"2.0","method":"notifications/initialized"},7,)",
                                legacy("initialize"), "]");
  const Reply reply = ask(batch);
  ASSERT_EQ(reply.message->array()->size(), 4u);
  EXPECT_TRUE(reply.message->array()->at(0).find("result"));
  EXPECT_EQ(*reply.message->array()->at(1).at("error.code")->integer(), -32601);
  EXPECT_EQ(*reply.message->array()->at(2).at("error.code")->integer(), -32600);
  EXPECT_EQ(*reply.message->array()->at(3).at("error.code")->integer(), -32600) << "initialize";
  const Reply quiet = ask(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  EXPECT_FALSE(quiet.message);
  EXPECT_EQ(quiet.http_status, 202);
  EXPECT_EQ(code(ask(batch, {true, "2025-11-25", "", ""})), -32600);
  std::string many = "[" + legacy("ping");
  for (int i = 0; i < 20; ++i) many += "," + legacy("ping");
  EXPECT_EQ(code(ask(many + "]")), -32600);
}

}  // namespace
}  // namespace paddock::mcp
