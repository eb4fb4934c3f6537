#include "cli/client/live_uses.h"

#include "cli/client/list_items.h"

namespace paddock::cli {
namespace {

// A controller of an earlier release has no such list.
Status each_of(client::ControllerClient& client, const std::string& collection,
               const std::function<void(const wire::Value&)>& take) {
  auto list = client.get(cat("/apis/", contracts::kMetricsVersion, collection));
  if (!list.ok() && list.error().code == Code::kNotFound) return {};
  if (!list.ok()) return list.error();
  for (const wire::Value& item : items_of(*list)) take(item);
  return {};
}

}  // namespace

Result<NodeUses> node_uses(client::ControllerClient& client) {
  NodeUses uses;
  TRY(each_of(client, "/nodes",
              [&](const wire::Value& item) { uses[item.text("metadata.name")] = use_in(item); }));
  return uses;
}

Result<RunUses> run_uses(client::ControllerClient& client, const std::string& name_space) {
  RunUses uses;
  const std::string collection =
      name_space.empty() ? "/pods" : cat("/namespaces/", name_space, "/pods");
  TRY(each_of(client, collection, [&](const wire::Value& item) {
    uses[{item.text("metadata.namespace"), item.text("metadata.name")}] = use_in(item);
  }));
  return uses;
}

}  // namespace paddock::cli
