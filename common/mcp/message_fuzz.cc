// Any JSON is a message of an MCP client: what is answered names the request, and a tool is called
// by its own name only.
#include "common/mcp/protocol.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;

Result<wire::Value> call(const std::string& tool, const wire::Value& arguments) {
  if (tool != "run") panic("a tool that there is not");
  if (arguments.object() == nullptr) panic("arguments that are no object");
  return arguments;
}

void check(const wire::Value& reply) {
  if (reply.text("jsonrpc") != "2.0") panic("an answer of another protocol");
  if ((reply.at("result") == nullptr) == (reply.at("error") == nullptr))
    panic("neither a result nor an error, or both");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto message = wire::parse_json({reinterpret_cast<const char*>(data), size});
  if (!message.ok()) return 0;
  const mcp::Server server{.name = "fuzz",
                           .version = "1",
                           .instructions = "",
                           .tools = {{.name = "run", .title = "Run", .description = "runs"}},
                           .call = call};
  for (const bool http : {false, true}) {
    const mcp::Reply reply = mcp::handle(server, *message, {.http = http});
    if (reply.http_status < 200 || reply.http_status > 599) panic("no status of HTTP");
    if (!reply.message) continue;
    if (reply.message->array() == nullptr)
      check(*reply.message);
    else
      for (const wire::Value& each : *reply.message->array()) check(each);
  }
  return 0;
}
