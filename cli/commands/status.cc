// `paddock status` and `paddock ready`.
#include "cli/client/connection.h"
#include "cli/client/health.h"
#include "cli/commands/commands.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

std::string process_text(const Health& health, std::optional<ProcessRef> InstancePointer::*which,
                         bool alive) {
  if (!health.no_pointer.empty()) return cat("not known: ", health.no_pointer);
  const auto process = health.pointer ? (*health.pointer).*which : std::nullopt;
  if (!process) return "not started";
  return alive ? cat("running, pid ", process->pid) : cat("gone (was pid ", process->pid, ")");
}

// `2 Running, 57 ended`; never none where that is not known.
std::string runs_text(const Health& health) {
  if (health.runs.object() == nullptr)
    return cat("not known", health.no_runs.empty() ? "" : ": ", health.no_runs);
  std::vector<std::string> counts;
  for (const auto& [phase, count] : *health.runs.object())
    if (count.integer() != nullptr && *count.integer() > 0)
      counts.push_back(cat(*count.integer(), " ", phase));
  return counts.empty() ? "none" : join(counts, ", ");
}

bool by_variables(const Health& health) {
  return health.pointer && network_by_variables(*health.pointer);
}

wire::Value status_document(const Health& health) {
  wire::Value document = ready_document(health);
  document.set("instance", health.instance);
  document.set("runs", health.runs);  // null: not known
  if (health.stored.object() != nullptr) document.set("stored", health.stored);
  if (!health.files.is_null()) document.set("files", health.files);
  if (!health.secrets.is_null()) document.set("secrets", health.secrets);
  if (!health.scheduling.is_null()) document.set("scheduling", health.scheduling);
  if (health.pointer) document.set("pointer", wire::encode(*health.pointer));
  if (health.settings) {
    document.set("packages", wire::encode(health.settings->packages));
    document.set("network", health.settings->network || by_variables(health));
  }
  const bool known = health.no_pointer.empty();
  document.set("controllerAlive", known ? wire::Value(health.controller_alive) : wire::Value());
  document.set("agentAlive", known ? wire::Value(health.agent_alive) : wire::Value());
  return document;
}

int64_t number(const wire::Value& object, const char* name) {
  const wire::Value* found = object.find(name);
  return found == nullptr || found->integer() == nullptr ? 0 : *found->integer();
}

// `default 1.2 GiB of 48.0 GiB`, a line for each namespace that has something.
std::vector<std::string> stored_lines(const wire::Value& stored) {
  std::vector<std::string> lines;
  if (stored.object() == nullptr) return lines;
  for (const auto& [name, use] : *stored.object())
    lines.push_back(cat(name, " ", format_bytes(number(use, "bytes")), " of ",
                        format_bytes(number(use, "quota"))));
  return lines;
}

std::string status_text(const Health& health) {
  Table table;
  const auto add = [&](const char* name, std::string value) {
    table.rows.push_back({name, std::move(value)});
  };
  add("ready", health.ready() ? "yes" : cat("no: ", health.reason));
  if (!health.instance.empty()) {
    add("instance", health.instance);
    add("controller", process_text(health, &InstancePointer::controller, health.controller_alive));
    add("node agent", process_text(health, &InstancePointer::agent, health.agent_alive));
  }
  add("url", health.url);
  for (const NodeHealth& node : health.nodes) add("node", node_text(node));
  if (!health.nodes_hidden.empty())
    add("nodes", cat("not shown to this token: ", health.nodes_hidden));
  if (health.settings) {
    for (std::string& line : source_lines(health.settings->packages))
      add("packages", std::move(line));
    add("network", network_line(*health.settings, by_variables(health)));
  }
  for (std::string& line : stored_lines(health.stored)) add("stored", std::move(line));
  const auto add_refusal = [&](const char* name, const char* what, const wire::Value& why) {
    if (!why.is_null())
      add(name,
          cat(what, printable(why.text("message")), " [", printable(why.text("reason")), "]"));
  };
  add_refusal("files", "no new ones: ", health.files);
  add_refusal("secrets", "none for runs: ", health.secrets);
  add_refusal("scheduling", "nothing is placed: ", health.scheduling);
  add("runs", runs_text(health));
  return render(table);
}

}  // namespace

int status_command(const Parsed& parsed, Env& env) {
  const Result<OutputFormat> format = parse_output_format(parsed.text("output"));
  if (!format.ok()) return fail(env, format.error());
  const ConnectionOptions connection = connection_options(parsed);
  if (const auto target = choose_target(connection, env); !target.ok())
    return fail(env, target.error());
  const Health health = gather_health(connection, env);
  env.out.write(is_document(*format) ? document_text(status_document(health), *format)
                                     : status_text(health));
  if (!health.ready() && health.url.empty() && health.no_pointer.empty())
    env.say("start it with `paddock up`");
  return health.ready() ? kExitOk : kExitFailure;
}

int ready_command(const Parsed& parsed, Env& env) {
  const ConnectionOptions connection = connection_options(parsed);
  if (const auto target = choose_target(connection, env); !target.ok())
    return fail(env, target.error());
  const Health health = gather_health(connection, env);
  if (parsed.has("json")) {
    env.out.write(wire::to_pretty_json(health.readiness));
  } else {
    if (health.ready() && !health.nodes_hidden.empty())
      env.say(cat("of the nodes nothing is known: ", printable(health.nodes_hidden)));
    env.out.write(health.ready() ? std::string("ready\n")
                                 : cat("not ready: ", printable(health.reason), "\n"));
  }
  return health.ready() ? kExitOk : kExitFailure;
}

}  // namespace paddock::cli
