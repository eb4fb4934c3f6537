#include "common/contracts/tool_bundle.h"

#include <algorithm>
#include <set>

#include "common/contracts/tool_bundle_rules.h"
#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

using wire::Check;
using wire::Value;

constexpr size_t kMostServers = 32;
constexpr size_t kMostBundleBytes = size_t{256} << 10;  // of the whole bundle, as JSON

// Reads one server; the first fault is kept, with the field that has it.
class ServerReader {
 public:
  explicit ServerReader(const Value& value) : value_(value) {}

  McpServerFault read(McpServer& out) {
    if (value_.object() == nullptr) return {"", "it is not an object"};
    refuse_unknown();
    text("id", out.id);
    text("label", out.label);
    text("templateId", out.template_id);
    word("transport", out.transport, true);
    flag("enabled", out.enabled);
    McpAuthMode mode{};
    if (word("authMode", mode, false)) out.auth_mode = mode;
    text("command", out.command);
    list("args", out.args);
    texts("env", out.env);
    text("url", out.url);
    texts("headers", out.headers);
    return fault_.message.empty() ? fault_of(out) : fault_;
  }

 private:
  void fail(std::string field, std::string message) {
    if (fault_.message.empty()) fault_ = {std::move(field), std::move(message)};
  }
  void refuse_unknown() {
    constexpr std::array<std::string_view, 11> kKnown = {
        "id",      "label", "templateId", "transport", "enabled", "authMode",
        "command", "args",  "env",        "url",       "headers"};
    for (const auto& [name, member] : *value_.object())
      if (std::ranges::count(kKnown, name) == 0) fail("", "it has a field that is not known");
  }
  void text(const char* name, std::string& out) {
    const Value* member = value_.find(name);
    if (member == nullptr) return;
    if (member->string() == nullptr) return fail(name, "must be a string");
    out = *member->string();
  }
  template <class E>
  bool word(const char* name, E& out, bool required) {
    const Value* member = value_.find(name);
    if (member == nullptr && !required) return false;
    const auto known = member == nullptr || member->string() == nullptr
                           ? std::nullopt
                           : wire::parse_enum<E>(*member->string());
    if (!known) {
      fail(name, std::is_same_v<E, McpTransport> ? "must be stdio, sse or http"
                                                 : "must be none or oauth");
      return false;
    }
    out = *known;
    return true;
  }
  void flag(const char* name, bool& out) {
    const Value* member = value_.find(name);
    if (member == nullptr) return;
    if (member->boolean() == nullptr) return fail(name, "must be true or false");
    out = *member->boolean();
  }
  void list(const char* name, std::vector<std::string>& out) {
    const Value* member = value_.find(name);
    if (member == nullptr) return;
    if (member->array() == nullptr) return fail(name, "must be a list of strings");
    for (const Value& each : *member->array()) {
      if (each.string() == nullptr) return fail(name, "must be a list of strings");
      out.push_back(*each.string());
    }
  }
  void texts(const char* name, std::map<std::string, std::string>& out) {
    const Value* member = value_.find(name);
    if (member == nullptr) return;
    if (member->object() == nullptr) return fail(name, "must be an object of strings");
    for (const auto& [key, each] : *member->object()) {
      if (each.string() == nullptr) return fail(name, "must be an object of strings");
      out[key] = *each.string();
    }
  }

  const Value& value_;
  McpServerFault fault_;
};

std::vector<McpServer> read_servers(const Value& list, Check& check) {
  std::vector<McpServer> out;
  std::set<std::string> ids;
  for (size_t i = 0; i < list.array()->size(); ++i) {
    const Check::Scope scope(check, i);
    McpServer server;
    const McpServerFault fault = ServerReader((*list.array())[i]).read(server);
    if (!fault.message.empty()) {
      const std::string what =
          cat("toolBundle.mcpServers[", i,
              "] is invalid: ", fault.field.empty() ? "" : cat(fault.field, " "), fault.message);
      fault.field.empty() ? check.fail(what) : check.fail(fault.field, what);
    } else if (!ids.insert(server.id).second) {
      check.fail("id",
                 cat("toolBundle.mcpServers[", i, "] duplicates server id \"", server.id, "\""));
    }
    out.push_back(std::move(server));
  }
  return out;
}

Value texts_of(const std::map<std::string, std::string>& texts) {
  Value out = Value::Object{};
  for (const auto& [name, value] : texts) out.set(name, value);
  return out;
}

Value list_of(const std::vector<std::string>& list) {
  Value out = Value::Array{};
  for (const std::string& each : list) out.push_back(each);
  return out;
}

// How to start or reach it: what a client's configuration says.
void put_way(const McpServer& server, Value& out) {
  if (!server.command.empty()) out.set("command", server.command);
  if (!server.args.empty()) out.set("args", list_of(server.args));
  if (!server.env.empty()) out.set("env", texts_of(server.env));
  if (!server.url.empty()) out.set("url", server.url);
  if (!server.headers.empty()) out.set("headers", texts_of(server.headers));
}

Value encode_server(const McpServer& server) {
  Value out = Value::Object{{"id", server.id}};
  if (!server.label.empty()) out.set("label", server.label);
  if (!server.template_id.empty()) out.set("templateId", server.template_id);
  out.set("transport", wire::enum_name(server.transport));
  out.set("enabled", server.enabled);
  if (server.auth_mode) out.set("authMode", wire::enum_name(*server.auth_mode));
  put_way(server, out);
  return out;
}

}  // namespace

std::optional<ToolBundle> ToolBundle::decode_value(const Value& value, Check& check) {
  if (value.object() == nullptr) {
    check.fail("toolBundle must be an object");
    return std::nullopt;
  }
  for (const auto& [name, member] : *value.object())
    if (name != "mcpServers") check.unknown(name);
  const Value* list = value.find("mcpServers");
  const Check::Scope scope(check, "mcpServers");
  if (list == nullptr || list->array() == nullptr) {
    check.fail("toolBundle.mcpServers must be an array");
    return std::nullopt;
  }
  if (list->array()->size() > kMostServers) {
    check.fail(cat("toolBundle.mcpServers has more than ", kMostServers, " servers"));
    return std::nullopt;
  }
  ToolBundle out{read_servers(*list, check)};
  if (wire::to_json(out.encode_value()).size() > kMostBundleBytes)
    check.fail("toolBundle.mcpServers has more than 256 KiB");
  return out;
}

Value ToolBundle::encode_value() const {
  Value servers = Value::Array{};
  for (const McpServer& each : mcp_servers) servers.push_back(encode_server(each));
  return Value::Object{{"mcpServers", std::move(servers)}};
}

Value ToolBundle::value_schema() {
  return Value::Object{
      {"type", "object"},
      {"properties",
       Value::Object{{"mcpServers",
                      Value::Object{{"type", "array"},
                                    {"items", Value::Object{{"type", "object"},
                                                            {"x-kubernetes-preserve-unknown-fields",
                                                             true}}}}}}}};
}

ToolBundleSummary summary_of(const ToolBundle& bundle) {
  ToolBundleSummary out;
  for (const McpServer& each : bundle.mcp_servers)
    out.mcp_servers.push_back(
        {each.id, each.label, each.template_id, each.transport, each.enabled, each.auth_mode});
  return out;
}

std::string mcp_config_text(const ToolBundle& bundle) {
  Value servers = Value::Object{};
  for (const McpServer& each : bundle.mcp_servers) {
    if (!each.enabled) continue;
    Value server = Value::Object{{"type", wire::enum_name(each.transport)}};
    put_way(each, server);
    servers.set(each.id, std::move(server));
  }
  return wire::to_pretty_json(Value::Object{{"mcpServers", std::move(servers)}});
}

}  // namespace paddock::contracts
