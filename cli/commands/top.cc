// `paddock top`: what nodes and namespaces use of what there is, by what their runs asked for.
#include "cli/client/list_items.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/usage.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
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

std::string state_of(const NodeUsage& node) {
  if (!node.ready) return "not ready";
  return node.cordoned ? "cordoned" : "ready";
}

std::string disk_of(const NodeUsage& node) {
  return node.allocatable_disk ? format_bytes(node.allocatable_disk->bytes) : "-";
}

void print(const Usage& usage, const Env& env) {
  Table nodes{{"NODE", "STATE", "RUNS", "CPU", "MEMORY", "DISK", "DEVICES"}, {}};
  for (const auto& [name, node] : usage.nodes) {
    nodes.rows.push_back(
        {name, state_of(node), of(node.asked.runs, node.capacity.max_runs),
         of(node.asked.cpu, node.capacity.cpu),
         cat(format_bytes(node.asked.memory), "/", format_bytes(node.capacity.memory.bytes)),
         cat(format_bytes(node.asked.disk), "/", disk_of(node)),
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
  print(usage_of(nodes, placed), env);
  return kExitOk;
}

}  // namespace

int top_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return top(watcher.client, env); });
}

}  // namespace paddock::cli
