#include "controller/nodes/reports.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/nodes/agent_lines.h"
#include "controller/nodes/blame.h"
#include "controller/nodes/event_pieces.h"
#include "controller/runs/kept_off.h"
#include "controller/runs/transitions.h"
#include "controller/scheduler/node_refusals.h"
#include "controller/store/run_writes.h"

namespace paddock::nodes {

namespace {

Error output_invalid(std::string message) {
  return invalid_argument("OUTPUT_INVALID", std::move(message), "runs.output");
}

Status add_events(const contracts::OutputChunk& chunk, runs::Events& events) {
  const bool known = chunk.stream == contracts::kEventStdout ||
                     chunk.stream == contracts::kEventStderr ||
                     chunk.stream == contracts::kEventSystem;
  if (!known) return output_invalid("stream is stdout, stderr or system");
  const std::optional<std::string> bytes = decode_base64(chunk.data);
  if (!bytes) return output_invalid("data is not base64");
  for (const std::string_view piece : event_pieces(*bytes))
    events.push_back({0, chunk.time_ms, chunk.stream, std::string(piece)});
  return {};
}

struct NewOutput {
  runs::Events events;
  int64_t acked = 0;     // highest seq stored once these are
  bool complete = true;  // false: a piece in the middle is missing
};

// The chunks that follow what is stored already; a repeated one is skipped, a gap ends it.
Result<NewOutput> new_output(const contracts::RunReport& report, int64_t acked) {
  NewOutput fresh;
  fresh.acked = acked;
  for (const contracts::OutputChunk& chunk : report.output) {
    if (chunk.seq <= fresh.acked) continue;
    if (chunk.seq != fresh.acked + 1) {
      fresh.complete = false;
      break;
    }
    TRY(add_events(chunk, fresh.events));
    fresh.acked = chunk.seq;
  }
  return fresh;
}

void append(runs::Events& to, runs::Events from) {
  for (contracts::RunEvent& event : from) to.push_back(std::move(event));
}

// What a report tells, in the order in which it happened: what its node did for the run before the
// command began, and said, comes before the phase that says that it began.
runs::Events in_order(const runs::Events& phase, runs::Events output,
                      const contracts::RunReport& report) {
  const auto before = [&](const contracts::RunEvent& each) {
    return each.type == contracts::kEventSystem && report.started_at &&
           each.time_ms <= report.started_at->value.ms;
  };
  const auto place = report.phase == contracts::RunPhase::kRunning
                         ? std::ranges::find_if_not(output, before)
                         : output.begin();
  output.insert(place, phase.begin(), phase.end());
  return output;
}

// Whether an error of publishing is the run's own fault and ends it as failed. All other errors are
// the store's.
bool is_refusal(const Error& error) {
  return error.code == Code::kInvalidArgument || error.code == Code::kFailedPrecondition ||
         error.code == Code::kResourceExhausted || error.code == Code::kNotFound;
}

Result<int64_t> publish(store::WriteTxn& txn, const contracts::Run& run,
                        const volumes::Publishing& publishing, WallTime now) {
  const auto found = publishing.offers.find(run.metadata.uid);
  if (found == publishing.offers.end()) {
    return Error{Code::kFailedPrecondition, "PUBLISH_UNPREPARED",
                 "the run's artifacts were not made ready"};
  }
  if (!found->second) {
    const Error& error = found->second.error();
    return Error{Code::kFailedPrecondition, error.reason, error.message};
  }
  return volumes::publish(txn, run, *found->second, publishing.limits, now);
}

// Why the version of a run that succeeded cannot be stored now: its end waits, and its node repeats
// it. Not for longer than anybody wants the run.
const Error* put_off(const contracts::Run& run, const contracts::RunOutcome& outcome,
                     const volumes::Publishing& publishing) {
  if (outcome.phase != contracts::RunPhase::kSucceeded || run.spec.publish.empty()) return nullptr;
  if (run.spec.cancel_requested || run.status.eviction) return nullptr;
  const auto found = publishing.offers.find(run.metadata.uid);
  if (found == publishing.offers.end() || found->second.ok()) return nullptr;
  const Error& error = found->second.error();
  return error.code == Code::kUnavailable ? &error : nullptr;
}

// The end of a run. One that publishes has succeeded only once its version is recorded, which is
// part of the same transaction.
Result<runs::Events> end_run(store::WriteTxn& txn, contracts::Run& run,
                             const contracts::RunReport& report,
                             const volumes::Publishing& publishing, WallTime now) {
  contracts::RunOutcome outcome = *report.outcome;
  if (outcome.phase == contracts::RunPhase::kSucceeded && !run.spec.publish.empty()) {
    const Result<int64_t> version = publish(txn, run, publishing, now);
    if (version) {
      run.status.published_version = *version;
    } else if (is_refusal(version.error())) {
      outcome.phase = contracts::RunPhase::kFailed;
      outcome.reason = Reason("PUBLISH_FAILED");
      outcome.message = cat("the command succeeded, but volume ", run.spec.publish,
                            " got no new version: ", version.error().message);
    } else {
      return version.error();
    }
  }
  return runs::finish(run, report.attempt, outcome, now);
}

// No longer than the attempt was placed, whatever its node says.
Millis plausible(Millis said, const contracts::Run& run, int64_t count, WallTime now) {
  if (!run.status.scheduled_at) return Millis(0);
  const Millis placed = std::max(Millis(0), now - run.status.scheduled_at->value);
  return std::clamp(said, Millis(0), placed * count);
}

void note_device_time(const contracts::Run& run, const contracts::RunOutcome& outcome, WallTime now,
                      DeviceTimes& held) {
  const auto& resources = run.spec.resources;
  if (!resources || !resources->accelerators || !outcome.result) return;
  const auto& wish = *resources->accelerators;
  const Millis said(outcome.result->usage.accelerator_ms.value_or(0));
  held.push_back({run.metadata.name_space, wish.kind, plausible(said, run, wish.count, now)});
}

// Stores the messages that an agent run wrote, and notes which inputs it was given.
Status take_conversation(store::WriteTxn& txn, contracts::Run& run,
                         const contracts::RunReport& report, const runs::Events& output) {
  if (run.spec.type != contracts::RunType::kAgent) return {};
  TRY(take_agent_output(txn, run, output));
  if (report.stdin_closed.value_or(false)) run.status.stdin_closed = true;
  if (report.input_acked) TRY(txn.ack_inputs(report.run_uid, report.attempt, *report.input_acked));
  return {};
}

// A node that could not begin a run rests, and one whose disk took a run's end; one whose command
// runs is well.
Status judge_node(store::WriteTxn& txn, const std::string& name, const contracts::Run& before,
                  const contracts::RunReport& report, WallTime now) {
  const std::optional<Blame> blame = blame_for(before, report);
  const bool began = report.phase == contracts::RunPhase::kRunning &&
                     before.status.phase != contracts::RunPhase::kRunning;
  if (!blame && !began) return {};
  ASSIGN_OR_RETURN(auto node, txn.find<contracts::Node>({"", name}));
  if (!node || (!blame && !node->status.cool_down)) return {};
  auto& cool_down = node->status.cool_down;
  if (blame) {
    cool_down =
        after_refusal(cool_down, report.outcome->reason, report.outcome->message, now, *blame);
  } else {
    cool_down.reset();
  }
  return txn.update(*node);
}

// How many nodes are looked at for one that would take a run: in a fleet of like nodes one of the
// first does, and no report holds up other writers for long.
constexpr int64_t kMostLookedAt = 100;

// Whether another node would take the run, which none but this one has been asked to begin; or
// whether it had come back here, since no other one could, and waits longer now. Where two have
// refused it, it is over.
Result<bool> may_go_elsewhere(store::WriteTxn& txn, const std::string& name,
                              const contracts::Run& run, WallTime now) {
  const auto& element = run.status.element;
  const std::string kept_off = runs::kept_off(run);
  if (element && element->members) return false;
  if (!kept_off.empty()) return kept_off == name;
  const auto nodes =
      txn.list<contracts::Node>({.name_space = {}, .limit = kMostLookedAt, .after = {}});
  if (!nodes.ok() && store::is_unreadable(nodes.error())) return false;
  if (!nodes.ok()) return nodes.error();
  const scheduler::Demand demand = scheduler::demand_of(run);
  return std::ranges::any_of(nodes->items, [&](const contracts::Node& each) {
    return each.metadata.name != name && scheduler::could_take(demand, each, now);
  });
}

// The report as it is taken: of an end that may be this node's fault or the run's it says whether
// the run goes elsewhere.
Result<contracts::RunReport> decided(store::WriteTxn& txn, const std::string& name,
                                     contracts::Run& run, contracts::RunReport report,
                                     WallTime now) {
  ASSIGN_OR_RETURN(const bool elsewhere, may_go_elsewhere(txn, name, run, now));
  report.outcome->refused = elsewhere;
  if (elsewhere) runs::keep_off(run, name);
  return report;
}

// Of an attempt that is still the run's.
Status take_report(store::WriteTxn& txn, const std::string& node, contracts::Run& run,
                   const contracts::RunReport& report, const volumes::Publishing& publishing,
                   WallTime now, DeviceTimes& held) {
  ASSIGN_OR_RETURN(const int64_t acked, txn.output_acked(report.run_uid, report.attempt));
  ASSIGN_OR_RETURN(runs::Events events, runs::observe(run, report, now));
  ASSIGN_OR_RETURN(NewOutput output, new_output(report, acked));
  TRY(take_conversation(txn, run, report, output.events));
  events = in_order(events, std::move(output.events), report);
  const bool at_end = report.outcome && output.complete;
  const Error* const later = at_end ? put_off(run, *report.outcome, publishing) : nullptr;
  if (later != nullptr) {
    run.status.message = cat("the command succeeded; volume ", run.spec.publish,
                             " gets its version when this is over: ", later->message);
  } else if (at_end) {
    note_device_time(run, *report.outcome, now, held);
    ASSIGN_OR_RETURN(runs::Events last, end_run(txn, run, report, publishing, now));
    append(events, std::move(last));
  }
  if (output.acked != acked) {
    TRY(txn.put_output_acked(report.run_uid, report.attempt, output.acked));
  }
  if (run.status.node_name != node) txn.touch(store::node_topic(node));  // it left this node
  return store::save_run(txn, run, std::move(events));
}

}  // namespace

Status apply_report(store::WriteTxn& txn, const std::string& node,
                    const contracts::RunReport& report, const volumes::Publishing& publishing,
                    WallTime now, DeviceTimes& held) {
  auto found = txn.run_by_uid(report.run_uid);
  if (!found.ok()) return found.error().code == Code::kNotFound ? Status() : found.error();
  contracts::Run& run = *found;
  const bool current = run.status.node_name == node && run.status.attempt == report.attempt &&
                       !contracts::is_terminal(run.status.phase);
  if (!current) return {};

  TRY(judge_node(txn, node, run, report, now));
  if (!is_in_doubt(run, report)) return take_report(txn, node, run, report, publishing, now, held);
  ASSIGN_OR_RETURN(const auto taken, decided(txn, node, run, report, now));
  return take_report(txn, node, run, taken, publishing, now, held);
}

}  // namespace paddock::nodes
