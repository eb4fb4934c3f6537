#include "cli/pool/pool_text.h"

#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

std::string number(const wire::Value& object, std::string_view key) {
  const wire::Value* found = object.find(key);
  return found != nullptr && found->integer() != nullptr ? cat(*found->integer()) : "-";
}

std::string pilots_text(const wire::Value& state) {
  Table table{{"JOB", "NODE", "STATE", "CPUS", "MEMORY MI", "GPUS", "SLURM SAYS"}, {}};
  const wire::Value* pilots = state.find("pilots");
  if (pilots == nullptr || pilots->array() == nullptr || pilots->array()->empty())
    return "no pilots\n";
  for (const wire::Value& each : *pilots->array()) {
    table.rows.push_back({printable(each.text("job")), printable(each.text("node")),
                          printable(each.text("state")), number(each, "cpus"),
                          number(each, "memoryMi"), number(each, "gpus"),
                          printable(each.text("reason"))});
  }
  return render(table);
}

}  // namespace

std::string pool_text(const wire::Value& state) {
  std::string out = cat("pool ", printable(state.text("pool")), ", as of ",
                        printable(state.text("at")), "\n\n", pilots_text(state));
  const std::string refused = state.text("refused");
  if (!refused.empty()) out += cat("\nthe last submission failed: ", printable(refused), "\n");
  const wire::Value* waiting = state.find("waiting");
  if (waiting == nullptr || waiting->object() == nullptr || waiting->object()->empty())
    return out + "\nno run waits for it\n";
  Table runs{{"RUN", "WHY IT WAITS"}, {}};
  for (const auto& [name, why] : *waiting->object()) {
    const std::string text = why.string() == nullptr ? "" : *why.string();
    runs.rows.push_back({printable(name), printable(text)});
  }
  return out + "\n" + render(runs);
}

}  // namespace paddock::cli
