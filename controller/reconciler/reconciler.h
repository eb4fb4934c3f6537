// One step of the controller's own work: give up the runs of lost nodes, place what waits, say why
// the rest waits. No thread inside; the caller calls tick() when store::kSchedulerTopic is touched
// and at the latest after `next`.
#pragma once

#include <cstdint>

#include "controller/nodes/leases.h"
#include "controller/scheduler/scheduler.h"
#include "controller/store/store.h"

namespace paddock::reconciler {

struct TickReport {
  Millis next{0};       // at the latest
  int64_t bound = 0;    // runs given to a node
  int64_t lost = 0;     // runs given up
  int64_t waiting = 0;  // runs that fit nowhere now
};

Result<TickReport> tick(store::Store& store, nodes::LeaseTable& leases, nodes::Now now,
                        const scheduler::Quotas& quotas = {});

}  // namespace paddock::reconciler
