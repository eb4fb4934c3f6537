// What the audit log says of a change to a run. Pure.
#pragma once

#include <vector>

#include "common/contracts/audit.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {

// `run` as it is after the change, and the events that the change put into its stream.
std::vector<contracts::AuditEvent> audit_events(const contracts::Run& run, const Events& events);

}  // namespace paddock::runs
