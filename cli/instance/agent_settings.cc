#include "cli/instance/agent_settings.h"

#include "common/base/text.h"
#include "common/wire/yaml.h"

namespace paddock::cli {
namespace {

Error invalid_config(std::string message) {
  return {Code::kFailedPrecondition, "AGENT_CONFIG_INVALID", std::move(message)};
}

Result<wire::Value> parse(std::string_view yaml) {
  auto document = wire::parse_yaml(yaml);
  if (!document)
    return invalid_config(cat("the agent's configuration: ", document.error().message));
  if (document->is_null()) return wire::Value(wire::Value::Object{});
  if (document->object() == nullptr)
    return invalid_config("the agent's configuration is not a list of keys and values");
  return document;
}

// A key of the document itself begins its line.
void set_line(std::vector<std::string>& lines, const std::string& key, std::string line) {
  for (std::string& each : lines) {
    if (!each.starts_with(key + ":")) continue;
    each = std::move(line);
    return;
  }
  if (!lines.empty() && lines.back().empty()) lines.pop_back();  // behind the last line break
  lines.push_back(std::move(line));
  lines.emplace_back();
}

}  // namespace

Result<AgentSettings> read_agent_settings(std::string_view yaml) {
  ASSIGN_OR_RETURN(const wire::Value document, parse(yaml));
  AgentSettings settings{document.text("server"), document.text("caFile"), document.text("name"),
                         document.text("dataDir")};
  if (settings.server.empty()) settings.server = kAgentServer;
  if (settings.data_dir.empty()) settings.data_dir = kAgentDataDir;
  return settings;
}

Result<std::string> set_agent_keys(std::string_view yaml, const AgentKeys& keys) {
  ASSIGN_OR_RETURN(wire::Value wanted, parse(yaml));
  std::vector<std::string> lines = split(yaml, '\n');
  for (const auto& [key, value] : keys) {
    const std::string line = wire::to_yaml(wire::Value::Object{{key, value}});
    set_line(lines, key, std::string(trim(line)));
    wanted.set(key, value);
  }
  std::string text = join(lines, "\n");
  const auto written = wire::parse_yaml(text);
  if (written && *written == wanted) return text;
  std::vector<std::string> by_hand;
  for (const auto& [key, value] : keys) by_hand.push_back(cat(key, ": ", value));
  return invalid_config(cat("the agent's configuration cannot be changed line by line; set in it: ",
                            join(by_hand, ", ")));
}

}  // namespace paddock::cli
