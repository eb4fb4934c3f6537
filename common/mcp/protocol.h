// The server's side of the Model Context Protocol, without a transport: one JSON-RPC message in, at
// most one out. It speaks both eras and keeps nothing between messages: requests that carry their
// version in `_meta` (2026-07-28) and those of clients that began with `initialize` (2024-11-05 to
// 2025-11-25). https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kNewestLegacyVersion = "2025-11-25";

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  wire::Value input;   // JSON Schema of its arguments
  wire::Value output;  // and of what it answers
  bool read_only = false;
  bool destructive = false;
};

struct Server {
  std::string name;
  std::string version;
  std::string instructions;  // for the model: what this is for
  std::vector<Tool> tools;   // told in this order, always
  // The answer of a tool. An Error becomes a result that says so, with its code and remedy.
  std::function<Result<wire::Value>(const std::string& tool, const wire::Value& arguments)> call;
};

struct Reply {
  std::optional<wire::Value> message;  // none for a notification
  int http_status = 200;               // where the transport is HTTP
};

// The facts that the transport tells of a message. HTTP repeats parts of the message in headers,
// which have to agree. Empty: not given.
struct Envelope {
  bool http = false;
  std::string version;  // MCP-Protocol-Version
  std::string method;   // Mcp-Method
  std::string name;     // Mcp-Name
};

Reply handle(const Server& server, const wire::Value& message, const Envelope& envelope = {});
// For a request that came while as many are answered as there is room for.
Reply too_many_calls(const wire::Value& message);
// For bytes that are no JSON.
Reply parse_failure(std::string_view why);

}  // namespace paddock::mcp
