// `paddock top`: what nodes and runs use right now, beside what was asked for.
#include "cli/client/list_items.h"
#include "cli/client/live_uses.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/usage.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
#include "common/base/nearest.h"
#include "common/client/controller_client.h"
#include "common/contracts/api_paths.h"

namespace paddock::cli {
namespace {

template <class T>
Status add(const wire::Value& item, std::vector<T>& all) {
  ASSIGN_OR_RETURN(T object, wire::decode<T>(item));
  all.push_back(std::move(object));
  return {};
}

Result<std::vector<contracts::Node>> all_nodes(client::ControllerClient& client) {
  std::vector<contracts::Node> all;
  const auto take_page = [&](wire::Value& page) -> Status {
    for (const wire::Value& item : items_of(page)) TRY(add(item, all));
    return {};
  };
  TRY(client.list(contracts::paths::collection("", "nodes"), client::ListForm::kObjects,
                  take_page));
  return all;
}

std::string of(int64_t asked, int64_t there) { return cat(asked, "/", there); }

std::string disk_of(const NodeUsage& node) {
  return node.allocatable_disk ? format_bytes(node.allocatable_disk->bytes) : "-";
}

void print(const Usage& usage, const NodeUses& uses, const Env& env) {
  Table nodes{{"NODE", "STATUS", "RUNS", "CPU USED", "ASKED", "MEMORY USED", "ASKED", "DISK ASKED",
               "DEVICES BUSY", "ASKED"},
              {}};
  for (const auto& [name, node] : usage.nodes) {
    const auto found = uses.find(name);
    const contracts::Use use = found == uses.end() ? contracts::Use{} : found->second;
    nodes.rows.push_back(
        {name, node.status, of(node.asked.runs, node.capacity.max_runs), units_text(use.cpu_milli),
         of(node.asked.cpu, node.capacity.cpu), bytes_text(use.memory),
         cat(format_bytes(node.asked.memory), "/", format_bytes(node.capacity.memory.bytes)),
         cat(format_bytes(node.asked.disk), "/", disk_of(node)), units_text(use.accelerator_milli),
         of(node.asked.devices, node.devices)});
  }
  env.out.write(render(nodes));
  if (usage.namespaces.empty()) return;
  Table spaces{{"NAMESPACE", "PLACED", "WAITING", "CPU", "MEMORY", "DISK", "DEVICES"}, {}};
  for (const auto& [name, space] : usage.namespaces) {
    spaces.rows.push_back({name, cat(space.asked.runs), cat(space.waiting), cat(space.asked.cpu),
                           format_bytes(space.asked.memory), format_bytes(space.asked.disk),
                           cat(space.asked.devices)});
  }
  env.out.write("\n" + render(spaces));
}

Result<int> top(client::ControllerClient& client, const Env& env) {
  ASSIGN_OR_RETURN(const auto nodes, all_nodes(client));
  std::vector<contracts::Run> placed;
  TRY(list_unfinished_runs(client, [&](const wire::Value& run) { return add(run, placed); }));
  ASSIGN_OR_RETURN(const NodeUses uses, node_uses(client));
  print(usage_of(nodes, placed), uses, env);
  return kExitOk;
}

Result<std::vector<contracts::Run>> running(client::ControllerClient& client,
                                            const std::string& name_space) {
  std::vector<contracts::Run> all;
  const auto take_page = [&](wire::Value& page) -> Status {
    for (const wire::Value& item : items_of(page)) TRY(add(item, all));
    return {};
  };
  const std::string running = cat(contracts::paths::collection(name_space, "runs"),
                                  "?fieldSelector=status.phase%3DRunning");
  TRY(client.list(running, client::ListForm::kObjects, take_page));
  return all;
}

std::vector<std::string> row_of(const contracts::Run& run, const contracts::Use& use) {
  const contracts::Resources asked = run.spec.resources.value_or(contracts::Resources{});
  const int64_t devices = asked.accelerators ? asked.accelerators->count : 0;
  return {run.metadata.name_space,         run.metadata.name,     run.status.node_name,
          units_text(use.cpu_milli),       count_text(asked.cpu), bytes_text(use.memory),
          bytes_text(asked.memory),        count_text(use.tasks), units_text(use.accelerator_milli),
          devices > 0 ? cat(devices) : "-"};
}

Result<int> top_runs(client::ControllerClient& client, const std::string& name_space,
                     const Env& env) {
  ASSIGN_OR_RETURN(const auto runs, running(client, name_space));
  ASSIGN_OR_RETURN(const RunUses uses, run_uses(client, name_space));
  Table table{{"NAMESPACE", "RUN", "NODE", "CPU USED", "ASKED", "MEMORY USED", "ASKED", "TASKS",
               "DEVICES BUSY", "ASKED"},
              {}};
  for (const contracts::Run& run : runs) {
    if (contracts::is_array(run.spec)) continue;  // its elements run
    const auto found = uses.find({run.metadata.name_space, run.metadata.name});
    table.rows.push_back(row_of(run, found == uses.end() ? contracts::Use{} : found->second));
  }
  if (table.rows.empty())
    env.err.write("no run is running\n");
  else
    env.out.write(render(table));
  return kExitOk;
}

}  // namespace

int top_command(const Parsed& parsed, Env& env) {
  const std::string what = parsed.text("WHAT", "nodes");
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    if (what == "nodes" || what == "node" || what == "no") return top(watcher.client, env);
    if (what == "runs" || what == "run" || what == "rn")
      return top_runs(watcher.client, parsed.text("namespace"), env);
    const bool pods = what == "pods" || what == "pod" || what == "po";
    const std::string near = pods ? "runs" : nearest(what, {"nodes", "runs"});
    return invalid_argument("USAGE",
                            cat("`", what, "` is neither nodes nor runs",
                                near.empty() ? "" : cat("; did you mean `", near, "`?")),
                            "WHAT");
  });
}

}  // namespace paddock::cli
