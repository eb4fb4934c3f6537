// Tool bundle: the MCP servers of one agent run and of no other (`spec.toolBundle`). What is secret
// in it, and it may all be but names, is never shown again: the run's status has a summary.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

enum class McpTransport { kStdio, kSse, kHttp };
enum class McpAuthMode { kNone, kOauth };

struct McpServer {
  std::string id;
  std::string label;
  std::string template_id;
  McpTransport transport = McpTransport::kStdio;
  bool enabled = true;
  std::optional<McpAuthMode> auth_mode;
  std::string command;  // stdio: a program's name, or a path inside
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string url;  // sse, http
  std::map<std::string, std::string> headers;
};

struct ToolBundle {
  std::vector<McpServer> mcp_servers;
  // Messages begin as the contract has them, and never repeat a value.
  static std::optional<ToolBundle> decode_value(const wire::Value& value, wire::Check& check);
  wire::Value encode_value() const;
  static wire::Value value_schema();
};

struct McpServerSummary {
  std::string id;
  std::string label;
  std::string template_id;
  McpTransport transport = McpTransport::kStdio;
  bool enabled = true;
  std::optional<McpAuthMode> auth_mode;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("id", &McpServerSummary::id, "within the run", {.required = true}),
        field("label", &McpServerSummary::label, "for people", {.omit_empty = true}),
        field("templateId", &McpServerSummary::template_id, "what it was made from",
              {.omit_empty = true}),
        field("transport", &McpServerSummary::transport, "stdio, sse or http", {.required = true}),
        field("enabled", &McpServerSummary::enabled, "whether the run is given it"),
        field("authMode", &McpServerSummary::auth_mode, "none or oauth"));
  }
};

struct ToolBundleSummary {
  std::vector<McpServerSummary> mcp_servers;
  static constexpr auto describe(auto&& visit) {
    return visit(field("mcpServers", &ToolBundleSummary::mcp_servers, "in their order"));
  }
};
ToolBundleSummary summary_of(const ToolBundle& bundle);

// What the run's program reads: `{"mcpServers": {ID: …}}`, of those that are enabled. It lies in
// the run's own configuration folder, and this variable of its environment names it.
std::string mcp_config_text(const ToolBundle& bundle);
inline constexpr std::string_view kMcpConfigVariable = "OD_MCP_CONFIG";
inline constexpr std::string_view kMcpConfigFile = "/tmp/home/.config/mcp/mcp.json";

}  // namespace paddock::contracts

namespace paddock::wire {
template <>
struct EnumNames<contracts::McpTransport> {
  using E = contracts::McpTransport;
  static constexpr std::array values = {std::pair{E::kStdio, std::string_view("stdio")},
                                        std::pair{E::kSse, std::string_view("sse")},
                                        std::pair{E::kHttp, std::string_view("http")}};
};
template <>
struct EnumNames<contracts::McpAuthMode> {
  using E = contracts::McpAuthMode;
  static constexpr std::array values = {std::pair{E::kNone, std::string_view("none")},
                                        std::pair{E::kOauth, std::string_view("oauth")}};
};
}  // namespace paddock::wire
