#include "controller/nodes/reports.h"

#include "common/base/text.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::nodes {

namespace {

Error output_invalid(std::string message) {
  return invalid_argument("OUTPUT_INVALID", std::move(message), "runs.output");
}

Result<contracts::RunEvent> event_of(const contracts::OutputChunk& chunk) {
  const bool known = chunk.stream == contracts::kEventStdout ||
                     chunk.stream == contracts::kEventStderr ||
                     chunk.stream == contracts::kEventSystem;
  if (!known) return output_invalid("stream is stdout, stderr or system");
  std::optional<std::string> bytes = decode_base64(chunk.data);
  if (!bytes) return output_invalid("data is not base64");
  return contracts::RunEvent{0, chunk.time_ms, chunk.stream, std::move(*bytes)};
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
    ASSIGN_OR_RETURN(contracts::RunEvent event, event_of(chunk));
    fresh.events.push_back(std::move(event));
    fresh.acked = chunk.seq;
  }
  return fresh;
}

void append(runs::Events& to, runs::Events from) {
  for (contracts::RunEvent& event : from) to.push_back(std::move(event));
}

}  // namespace

Status apply_report(store::WriteTxn& txn, const std::string& node,
                    const contracts::RunReport& report, WallTime now) {
  auto found = txn.run_by_uid(report.run_uid);
  if (!found.ok()) return found.error().code == Code::kNotFound ? Status() : found.error();
  contracts::Run& run = *found;
  const bool current = run.status.node_name == node && run.status.attempt == report.attempt &&
                       !contracts::is_terminal(run.status.phase);
  if (!current) return {};

  ASSIGN_OR_RETURN(const int64_t acked, txn.output_acked(report.run_uid, report.attempt));
  ASSIGN_OR_RETURN(runs::Events events, runs::observe(run, report, now));
  ASSIGN_OR_RETURN(NewOutput output, new_output(report, acked));
  append(events, std::move(output.events));
  if (report.outcome && output.complete) {
    ASSIGN_OR_RETURN(runs::Events last, runs::finish(run, report.attempt, *report.outcome, now));
    append(events, std::move(last));
  }
  if (output.acked != acked) {
    TRY(txn.put_output_acked(report.run_uid, report.attempt, output.acked));
  }
  return store::save_run(txn, run, std::move(events));
}

}  // namespace paddock::nodes
