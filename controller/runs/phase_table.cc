#include "controller/runs/phase_table.h"

#include "controller/runs/conditions.h"
#include "controller/runs/pool_words.h"
#include "controller/runs/stream_events.h"

namespace paddock::runs {

using contracts::Run;
using contracts::RunPhase;

namespace {

using P = RunPhase;
using F = Fact;

constexpr std::array kTransitions = {
    Transition{P::kPending, F::kBound, P::kScheduled},
    Transition{P::kPending, F::kCancelRequested, P::kCanceled},
    Transition{P::kPending, F::kExpired, P::kFailed},
    Transition{P::kPending, F::kElementPlaced, P::kRunning},

    Transition{P::kScheduled, F::kPreparing, P::kPreparing},
    Transition{P::kScheduled, F::kStarted, P::kRunning},
    Transition{P::kScheduled, F::kSucceeded, P::kSucceeded},
    Transition{P::kScheduled, F::kFailed, P::kFailed},
    Transition{P::kScheduled, F::kCanceled, P::kCanceled},
    Transition{P::kScheduled, F::kCancelRequested, P::kScheduled},
    Transition{P::kScheduled, F::kNodeLost, P::kFailed},
    Transition{P::kScheduled, F::kRetried, P::kPending},
    Transition{P::kScheduled, F::kEvicted, P::kScheduled},

    Transition{P::kPreparing, F::kStarted, P::kRunning},
    Transition{P::kPreparing, F::kSucceeded, P::kSucceeded},
    Transition{P::kPreparing, F::kFailed, P::kFailed},
    Transition{P::kPreparing, F::kCanceled, P::kCanceled},
    Transition{P::kPreparing, F::kCancelRequested, P::kPreparing},
    Transition{P::kPreparing, F::kNodeLost, P::kFailed},
    Transition{P::kPreparing, F::kRetried, P::kPending},
    Transition{P::kPreparing, F::kEvicted, P::kPreparing},

    Transition{P::kRunning, F::kSucceeded, P::kSucceeded},
    Transition{P::kRunning, F::kFailed, P::kFailed},
    Transition{P::kRunning, F::kCanceled, P::kCanceled},
    Transition{P::kRunning, F::kCancelRequested, P::kRunning},
    Transition{P::kRunning, F::kNodeLost, P::kFailed},
    Transition{P::kRunning, F::kRetried, P::kPending},
    Transition{P::kRunning, F::kEvicted, P::kRunning},
};

}  // namespace

// The one place where a phase is written. False if the table refuses it.
bool apply(Run& run, Fact fact) {
  const std::optional<RunPhase> to = next_phase(run.status.phase, fact);
  if (!to) return false;
  run.status.phase = *to;
  return true;
}

void leave_node(contracts::RunStatus& status) {
  status.node_name.clear();
  status.scheduled_at.reset();
  status.started_at.reset();
  status.timings_ms.clear();
  status.eviction.reset();
  status.kill_now.reset();
  status.pending_tool_uses.clear();  // nobody is there to read an answer
  status.stdin_closed.reset();
}

// Everything that is said once a run is over. `run` is terminal already.
Events conclude(Run& run, WallTime now) {
  contracts::RunStatus& status = run.status;
  status.finished_at = wire::Timestamp{now};
  forget_pools(status);
  const bool succeeded = status.phase == P::kSucceeded;
  set_condition(status, {succeeded ? "Complete" : "Failed", "True", status.reason, status.message},
                now);
  const std::string phase(wire::enum_name(status.phase));
  set_condition(status, {"Finished", "True", phase, status.message}, now);
  return {phase_event(run, now), end_event(run, now)};
}

std::optional<Fact> fact_of_outcome(RunPhase phase) {
  switch (phase) {
    case P::kSucceeded:
      return F::kSucceeded;
    case P::kFailed:
      return F::kFailed;
    case P::kCanceled:
      return F::kCanceled;
    case P::kPending:
    case P::kScheduled:
    case P::kPreparing:
    case P::kRunning:
      return std::nullopt;
  }
  return std::nullopt;
}

std::span<const Transition> transitions() { return kTransitions; }

std::optional<RunPhase> next_phase(RunPhase from, Fact fact) {
  for (const Transition& each : kTransitions) {
    if (each.from == from && each.fact == fact) return each.to;
  }
  return std::nullopt;
}

std::string_view fact_name(Fact fact) {
  switch (fact) {
    case F::kBound:
      return "bound";
    case F::kPreparing:
      return "preparing";
    case F::kStarted:
      return "started";
    case F::kSucceeded:
      return "succeeded";
    case F::kFailed:
      return "failed";
    case F::kCanceled:
      return "canceled";
    case F::kCancelRequested:
      return "cancel-requested";
    case F::kNodeLost:
      return "node-lost";
    case F::kRetried:
      return "retried";
    case F::kEvicted:
      return "evicted";
    case F::kExpired:
      return "expired";
    case F::kElementPlaced:
      return "element-placed";
  }
  return "";
}

}  // namespace paddock::runs
