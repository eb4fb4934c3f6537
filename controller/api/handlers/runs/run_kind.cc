#include "controller/api/handlers/runs/run_kind.h"

#include <algorithm>
#include <array>

#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/api/server/services.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

using contracts::Run;
using wire::Value;

// The controller's own words; nobody else writes them.
bool is_own_condition(const contracts::Condition& condition) {
  constexpr std::array<std::string_view, 4> kOwn = {"Scheduled", "Complete", "Failed", "Finished"};
  return std::ranges::find(kOwn, condition.type) != kOwn.end();
}

// The part of a run's status that not even an administrator may write.
Value controlled_status(Run run) {
  std::erase_if(run.status.conditions,
                [](const auto& condition) { return !is_own_condition(condition); });
  return wire::encode(run).find("status") == nullptr ? Value() : *wire::encode(run).find("status");
}

}  // namespace

k8s::Labels KindTraits<Run>::selectable_fields(const Run& run) {
  k8s::Labels fields = common_fields(run.metadata);
  fields["status.phase"] = wire::enum_name(run.status.phase);
  fields["status.nodeName"] = run.status.node_name;
  fields["spec.workspace"] = run.spec.workspace;
  return fields;
}

Status KindTraits<Run>::check_update(Services& services, const Run& live, Run& next) {
  TRY(check_array_labels(live.metadata, next.metadata));
  next.spec = admission::with_defaults(std::move(next.spec), services.profiles);
  const bool cancel = next.spec.cancel_requested || live.spec.cancel_requested;
  next.spec.cancel_requested = live.spec.cancel_requested;
  TRY(immutable(spec_differences(
      live, next, "a run's spec cannot change after its creation; create another run")));
  next.spec.cancel_requested = cancel;
  return {};
}

Status KindTraits<Run>::check_status_update(const Run& live, const Run& next) {
  if (controlled_status(live) == controlled_status(next)) return {};
  return immutable(
      {{"status", "only conditions that the controller does not set itself can be written"}});
}

Status KindTraits<Run>::save_update(Services&, store::WriteTxn& txn, Run& next, WallTime now) {
  ASSIGN_OR_RETURN(const Run live, txn.get<Run>({next.metadata.name_space, next.metadata.name}));
  runs::Events events;
  if (next.spec.cancel_requested && !live.spec.cancel_requested) {
    next.spec.cancel_requested = false;
    events = runs::request_cancel(next, now);
  }
  return store::save_run(txn, next, std::move(events));
}

std::vector<std::string_view> KindTraits<Run>::update_events(const Run& live, const Run& next) {
  if (next.spec.cancel_requested && !live.spec.cancel_requested)
    return {contracts::audit::kObjectUpdate, contracts::audit::kRunCancel};
  return {contracts::audit::kObjectUpdate};
}

}  // namespace paddock::api
