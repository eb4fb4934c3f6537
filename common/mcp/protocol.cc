#include "common/mcp/protocol.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/mcp/answer_room.h"
#include "common/wire/json.h"

namespace paddock::mcp {
namespace {

using wire::Value;

constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18",
                                                             "2025-03-26", "2024-11-05"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr int64_t kListsStayMs = 3'600'000;
constexpr size_t kMostBatch = 20;
constexpr size_t kMostCauses = 20;
constexpr size_t kMostId = 1024;  // it comes back with the answer, whose line clients read
constexpr size_t kErrorRoom = size_t{8} << 10;
constexpr size_t kCauseRoom = size_t{2} << 10;

// Codes of JSON-RPC 2.0 and of the specification's own range.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kTooMany = -32000;
constexpr int kHeaderMismatch = -32020;
constexpr int kUnsupportedVersion = -32022;

struct Fault {
  int code = 0;
  std::string message;
  Value data = {};
  int http_status = 200;
};

struct Request {
  Value id;
  std::string method;
  const Value* params = nullptr;
  bool modern = false;
};

// An error about a message whose id cannot be read has none. JSON-RPC 2.0 would have it null, but
// an id of this protocol is a string or a number in every version, and optional in an error since
// 2025-11-25: a client that holds answers against its schema refuses null.
Reply failure(const Value& id, const Fault& fault) {
  Value error = Value::Object{{"code", fault.code}, {"message", fault.message}};
  if (!fault.data.is_null()) error.set("data", fault.data);
  Value body = Value::Object{{"jsonrpc", "2.0"}};
  if (!id.is_null()) body.set("id", id);
  body.set("error", std::move(error));
  return {std::move(body), fault.http_status};
}

Reply success(const Request& request, const Server& server, Value result) {
  if (request.modern) {
    result.set("resultType", "complete");
    result.set("_meta",
               Value::Object{{"io.modelcontextprotocol/serverInfo",
                              Value::Object{{"name", server.name}, {"version", server.version}}}});
  }
  return {Value::Object{{"jsonrpc", "2.0"}, {"id", request.id}, {"result", std::move(result)}}};
}

Value capabilities() { return Value::Object{{"tools", Value::Object{{"listChanged", false}}}}; }

Value supported_versions() {
  Value::Array out{std::string(kModernVersion)};
  for (const std::string_view version : kLegacyVersions) out.emplace_back(version);
  return out;
}

Value tool_document(const Tool& tool) {
  return Value::Object{{"name", tool.name},
                       {"title", tool.title},
                       {"description", tool.description},
                       {"inputSchema", tool.input},
                       {"outputSchema", tool.output},
                       {"annotations", Value::Object{{"title", tool.title},
                                                     {"readOnlyHint", tool.read_only},
                                                     {"destructiveHint", tool.destructive},
                                                     {"openWorldHint", false}}}};
}

// Lists may be kept: nothing of this server's changes while it runs.
void may_be_kept(const Request& request, Value& result) {
  if (!request.modern) return;
  result.set("ttlMs", kListsStayMs);
  result.set("cacheScope", "public");
}

Value list_tools(const Server& server, const Request& request) {
  Value::Array tools;
  for (const Tool& tool : server.tools) tools.push_back(tool_document(tool));
  Value result = Value::Object{{"tools", std::move(tools)}};
  may_be_kept(request, result);
  return result;
}

Value discover(const Server& server, const Request& request) {
  Value result = Value::Object{{"supportedVersions", supported_versions()},
                               {"capabilities", capabilities()},
                               {"instructions", server.instructions}};
  may_be_kept(request, result);
  return result;
}

// The client's version if we know it, else our newest of that era.
Value initialize(const Server& server, const Request& request) {
  const std::string wanted =
      request.params == nullptr ? std::string() : request.params->text("protocolVersion");
  const bool known = std::ranges::find(kLegacyVersions, wanted) != kLegacyVersions.end();
  return Value::Object{
      {"protocolVersion", known ? wanted : std::string(kNewestLegacyVersion)},
      {"capabilities", capabilities()},
      {"serverInfo", Value::Object{{"name", server.name}, {"version", server.version}}},
      {"instructions", server.instructions}};
}

Value tool_result(Value structured, bool is_error) {
  Value::Array content{Value::Object{{"type", "text"}, {"text", wire::to_json(structured)}}};
  Value result = Value::Object{{"content", std::move(content)}, {"isError", is_error}};
  if (!is_error) result.set("structuredContent", std::move(structured));
  return result;
}

// An error quotes what was sent, and that may be long: its line is one that clients read, too.
Value error_document(const Error& error) {
  ListPart causes(kTextRoom, kMostCauses);
  for (const Cause& cause : error.causes)
    if (!causes.add(Value::Object{{"field", clipped(cause.field, kCauseRoom)},
                                  {"message", clipped(cause.message, kCauseRoom)}}))
      break;
  return Value::Object{{"code", error.reason},
                       {"message", clipped(error.message, kErrorRoom)},
                       {"retryable", retryable(error.code)},
                       {"causes", causes.take()}};
}

Reply call_tool(const Server& server, const Request& request) {
  const std::string name = request.params == nullptr ? "" : request.params->text("name");
  const bool known = std::ranges::find(server.tools, name, &Tool::name) != server.tools.end();
  if (request.params == nullptr || !known)
    return failure(request.id, {kInvalidParams, "Unknown tool: " + clipped(name, kCauseRoom)});
  const Value* given = request.params->find("arguments");
  const bool none = given == nullptr || given->is_null();
  const Value arguments = none ? Value(Value::Object{}) : *given;
  if (arguments.object() == nullptr)
    return failure(request.id, {kInvalidParams, "arguments is an object"});
  const Result<Value> answer = server.call(name, arguments);
  return success(
      request, server,
      answer ? tool_result(*answer, false) : tool_result(error_document(answer.error()), true));
}

// The headers of HTTP have to agree with the message, since proxies decide by them.
std::optional<Fault> check_headers(const Request& request, const Envelope& envelope) {
  if (envelope.version != kModernVersion)
    return Fault{kHeaderMismatch, "MCP-Protocol-Version is not the version in _meta", {}, 400};
  if (envelope.method != request.method)
    return Fault{kHeaderMismatch, "Mcp-Method is not the message's method", {}, 400};
  if (request.method == "tools/call" && envelope.name != request.params->text("name"))
    return Fault{kHeaderMismatch, "Mcp-Name is not the tool's name", {}, 400};
  return std::nullopt;
}

Fault unsupported(const Value& requested) {
  return {kUnsupportedVersion, "Unsupported protocol version",
          Value::Object{{"supported", supported_versions()}, {"requested", requested}}, 400};
}

// For a client that began with initialize: before 2025-06-18, none said its version in a header.
std::optional<Fault> check_legacy_header(const Envelope& envelope) {
  if (!envelope.http || envelope.version.empty()) return std::nullopt;
  if (envelope.version == kModernVersion)
    return Fault{kInvalidParams, "_meta lacks io.modelcontextprotocol/protocolVersion", {}, 400};
  if (std::ranges::find(kLegacyVersions, envelope.version) != kLegacyVersions.end())
    return std::nullopt;
  return unsupported(envelope.version);
}

// Whether the request says itself what it speaks, and we speak that too.
std::optional<Fault> check_era(Request& request, const Envelope& envelope) {
  const Value* meta = request.params == nullptr ? nullptr : request.params->find("_meta");
  const Value* version = meta == nullptr ? nullptr : meta->find(kVersionKey);
  if (version == nullptr) return check_legacy_header(envelope);
  request.modern = true;
  if (version->string() == nullptr || *version->string() != kModernVersion)
    return unsupported(*version);
  const Value* capable = meta->find(kCapabilitiesKey);
  if (capable == nullptr || capable->object() == nullptr)
    return Fault{kInvalidParams, "_meta lacks io.modelcontextprotocol/clientCapabilities", {}, 400};
  return envelope.http ? check_headers(request, envelope) : std::nullopt;
}

Reply answer(const Server& server, const Request& request) {
  if (request.method == "tools/list") return success(request, server, list_tools(server, request));
  if (request.method == "tools/call") return call_tool(server, request);
  if (request.method == "server/discover")
    return success(request, server, discover(server, request));
  if (!request.modern && request.method == "initialize")
    return success(request, server, initialize(server, request));
  if (!request.modern && request.method == "ping") return success(request, server, Value::Object{});
  return failure(request.id, {kMethodNotFound, "Method not found", {}, request.modern ? 404 : 200});
}

bool is_good_id(const Value& id) {
  return id.integer() != nullptr || (id.string() != nullptr && id.string()->size() <= kMostId);
}

Reply handle_one(const Server& server, const Value& message, const Envelope& envelope) {
  const Value* id = message.find("id");
  const Value* method = message.find("method");
  const Value* params = message.find("params");
  const bool good_id = id == nullptr || is_good_id(*id);
  const bool good = message.text("jsonrpc") == "2.0" && method != nullptr &&
                    method->string() != nullptr && good_id &&
                    (params == nullptr || params->object() != nullptr);
  if (!good) {
    const Value known = good_id && id != nullptr ? *id : Value();
    return failure(known, {kInvalidRequest, "not a JSON-RPC 2.0 request", {}, 400});
  }
  if (id == nullptr) return {std::nullopt, 202};  // notifications ask for nothing
  Request request{*id, *method->string(), params};
  if (const std::optional<Fault> fault = check_era(request, envelope))
    return failure(request.id, *fault);
  return answer(server, request);
}

// Only clients of 2025-03-26 send several messages as one; `initialize` is none of them.
Reply handle_batch(const Server& server, const Value::Array& batch, const Envelope& envelope) {
  const bool spoken = envelope.version.empty() || envelope.version == "2025-03-26";
  if (batch.empty() || batch.size() > kMostBatch || !spoken)
    return failure(Value(),
                   {kInvalidRequest,
                    cat("a batch has 1 to ", kMostBatch, " messages, and is of 2025-03-26"),
                    {},
                    400});
  Value::Array answers;
  for (const Value& each : batch) {
    const bool alone = each.text("method") == "initialize" || each.array() != nullptr;
    Reply reply = handle_one(server, alone ? Value() : each, envelope);
    if (reply.message) answers.push_back(std::move(*reply.message));
  }
  if (answers.empty()) return {std::nullopt, 202};
  return {Value(std::move(answers))};
}

}  // namespace

Reply handle(const Server& server, const Value& message, const Envelope& envelope) {
  if (message.array() != nullptr) return handle_batch(server, *message.array(), envelope);
  return handle_one(server, message, envelope);
}

Reply too_many_calls(const Value& message) {
  const Value* id = message.find("id");
  return failure(id == nullptr || !is_good_id(*id) ? Value() : *id,
                 {kTooMany, "too many calls at once; send it again when others are answered"});
}

Reply parse_failure(std::string_view why) {
  return failure(Value(), {kParseError, std::string(why), {}, 400});
}

}  // namespace paddock::mcp
