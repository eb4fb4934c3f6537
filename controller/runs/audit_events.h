// Makes the audit events for a change to a run. Pure.
#pragma once

#include <vector>

#include "common/contracts/audit.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {

// The events for the end of one command: what was denied, which limits it met, how it ended. Each
// event is `base`, which says who, where and which command, with its type, reason and details.
std::vector<contracts::AuditEvent> end_events(const contracts::AuditEvent& base,
                                              const contracts::SandboxResult& result);

// `run` as it is after the change, and the events that the change put into its stream.
std::vector<contracts::AuditEvent> audit_events(const contracts::Run& run, const Events& events);

}  // namespace paddock::runs
