// Any document is a tool bundle or is refused with a field; what is accepted keeps its rules, comes
// back as it was, and its summary shows nothing of how a server is started or reached.
#include <set>

#include "common/contracts/tool_bundle_rules.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;
using contracts::McpTransport;

void check(const contracts::McpServer& server) {
  if (!contracts::fault_of(server).message.empty()) panic("a server that is no server");
  const bool stdio = server.transport == McpTransport::kStdio;
  if (stdio != !server.command.empty() || stdio != server.url.empty())
    panic("a server has a way of another transport");
  for (const auto& [name, value] : server.headers) {
    if (value.find('\n') != std::string::npos || value.find('\r') != std::string::npos)
      panic("a header with a line of its own");
  }
}

// The names of a summary's fields: none of them says how a server is started or reached.
void check_summary(const wire::Value& summary) {
  const std::set<std::string> shown = {"id",        "label",   "templateId",
                                       "transport", "enabled", "authMode"};
  for (const wire::Value& server : *summary.find("mcpServers")->array()) {
    for (const auto& [name, value] : *server.object())
      if (!shown.contains(name)) panic("the summary shows more than it may");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value = wire::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto bundle = wire::decode<contracts::ToolBundle>(*value);
  if (!bundle) {
    if (bundle.error().causes.empty()) panic("a refusal without a cause");
    return 0;
  }
  std::set<std::string> ids;
  check_summary(wire::encode(contracts::summary_of(*bundle)));
  for (const auto& server : bundle->mcp_servers) {
    if (!ids.insert(server.id).second) panic("two servers of one id");
    check(server);
  }
  const wire::Value encoded = wire::encode(*bundle);
  const auto again = wire::decode<contracts::ToolBundle>(encoded);
  if (!again || !(wire::encode(*again) == encoded)) panic("a bundle is not read as it was written");
  if (!wire::parse_json(contracts::mcp_config_text(*bundle))) panic("the configuration is no JSON");
  return 0;
}
