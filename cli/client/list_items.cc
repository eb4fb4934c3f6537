#include "cli/client/list_items.h"

#include <set>
#include <string>
#include <utility>

#include "common/contracts/api_paths.h"
#include "common/contracts/run.h"

namespace paddock::cli {

const wire::Value::Array& items_of(const wire::Value& list) {
  static const wire::Value::Array kNone;
  const wire::Value* items = list.find("items");
  return items != nullptr && items->array() != nullptr ? *items->array() : kNone;
}

Status list_unfinished_runs(client::ControllerClient& client,
                            const std::function<Status(const wire::Value& run)>& take) {
  std::set<std::pair<std::string, std::string>> seen;  // one that went on meanwhile comes again
  const auto take_page = [&](wire::Value& page) -> Status {
    for (const wire::Value& run : items_of(page)) {
      if (seen.emplace(run.text("metadata.namespace"), run.text("metadata.name")).second)
        TRY(take(run));
    }
    return {};
  };
  const std::string runs = contracts::paths::collection("", "runs");
  for (const auto& [phase, name] : wire::EnumNames<contracts::RunPhase>::values) {
    if (contracts::is_terminal(phase)) continue;
    TRY(client.list(cat(runs, "?fieldSelector=status.phase%3D", name), client::ListForm::kObjects,
                    take_page));
  }
  return {};
}

}  // namespace paddock::cli
