// `paddock audit`: what happened, who did it, and what was refused.
#include "common/contracts/audit.h"

#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_values.h"
#include "cli/output/output_format.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
#include "common/base/percent.h"
#include "common/client/controller_client.h"
#include "common/contracts/api_paths.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using contracts::AuditEvent;
using contracts::AuditList;

void add(std::string& target, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  target +=
      cat(target.find('?') == std::string::npos ? "?" : "&", name, "=", percent_encode(value));
}

Result<std::string> target_of(const Parsed& parsed, const Env& env) {
  std::string target = parsed.has("namespace")
                           ? contracts::paths::collection(parsed.text("namespace"), "audit")
                           : "/audit";
  for (const char* name : {"type", "subject", "session", "after", "limit"})
    add(target, name, parsed.text(name));
  ASSIGN_OR_RETURN(const auto since, duration_option(parsed, "since"));
  if (since) add(target, "since", format_time({env.clock.wall().ms - since->count()}));
  return target;
}

std::string details_of(const AuditEvent& event) {
  std::string text;
  for (const auto& [name, value] : event.details) {
    if (name == "token" || value.empty()) continue;
    text += cat(text.empty() ? "" : " ", name, "=", value);
  }
  return text;
}

std::string object_of(const AuditEvent& event) {
  return event.name_space.empty() ? event.object : cat(event.name_space, "/", event.object);
}

void print(const AuditList& list, const wire::Value& answer, OutputFormat format, const Env& env) {
  if (format == OutputFormat::kJson) {  // a line each, to be appended to a file
    for (const AuditEvent& event : list.items) env.out.write(wire::encode_json(event) + "\n");
    return;
  }
  if (format == OutputFormat::kYaml) return env.out.write(document_text(answer, format));
  if (list.items.empty()) return env.say("no audit events found");
  Table table{{"ID", "TIME", "TYPE", "SUBJECT", "OBJECT", "REASON", "DETAILS"}, {}};
  for (const AuditEvent& event : list.items) {
    table.rows.push_back({cat(event.id), format_time(event.time.value), event.type, event.subject,
                          object_of(event), event.reason, details_of(event)});
  }
  env.out.write(render(table));
}

Result<int> audit(client::ControllerClient& client, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const std::string target, target_of(parsed, env));
  ASSIGN_OR_RETURN(const wire::Value answer, client.get(target));
  ASSIGN_OR_RETURN(const AuditList list, wire::decode<AuditList>(answer));
  print(list, answer, format, env);
  return kExitOk;
}

}  // namespace

int audit_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return audit(watcher.client, parsed, env); });
}

}  // namespace paddock::cli
