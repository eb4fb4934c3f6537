#include "controller/runs/conditions.h"

namespace paddock::runs {

void set_condition(contracts::RunStatus& status, contracts::Condition condition, WallTime now) {
  condition.last_transition_time = wire::Timestamp{now};
  for (contracts::Condition& each : status.conditions) {
    if (each.type != condition.type) continue;
    if (each.status == condition.status) condition.last_transition_time = each.last_transition_time;
    each = std::move(condition);
    return;
  }
  status.conditions.push_back(std::move(condition));
}

}  // namespace paddock::runs
