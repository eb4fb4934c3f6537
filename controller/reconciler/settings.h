// The operator's settings for the reconciler.
#pragma once

#include <map>
#include <string>

#include "common/wire/describe.h"
#include "common/wire/units.h"
#include "controller/scheduler/quota.h"

namespace paddock::reconciler {

struct Retention {
  wire::Duration finished_runs{std::chrono::hours(30 * 24)};
  int64_t max_finished_runs = 100'000;
  wire::Duration audit{std::chrono::hours(90 * 24)};
  int64_t max_audit_events = 500'000;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("finishedRuns", &Retention::finished_runs, "how long a run is kept after its end"),
        field("maxFinishedRuns", &Retention::max_finished_runs, "older ones than these go first",
              {.min = 0, .max = 100'000'000}),
        field("audit", &Retention::audit,
              "how long an audit event is kept, and a token after its end"),
        field("maxAuditEvents", &Retention::max_audit_events, "older ones than these go first",
              {.min = 1000, .max = 100'000'000}));
  }
};

struct Scheduling {
  bool preemption = false;
  std::map<std::string, scheduler::Quota> quotas;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("preemption", &Scheduling::preemption,
                       "whether runs that may be repeated give way to runs of higher priority"),
                 field("quotas", &Scheduling::quotas, "by namespace; * for those without a row",
                       {.max_length = 10'000}));
  }
};

struct Settings {
  Scheduling scheduling;
  Retention retention;
  int64_t runs_per_namespace = 0;  // where no quota says otherwise; 0: not bounded
};

}  // namespace paddock::reconciler
