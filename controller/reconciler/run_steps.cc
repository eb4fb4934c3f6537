// The steps that are about runs: deadlines, placement, reasons, retention.
#include <limits>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "controller/reconciler/steps.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::reconciler {

namespace {

using contracts::Run;

constexpr int64_t kMostPruned = 200;
constexpr int64_t kMostAuditPruned = 2000;
constexpr int64_t kMostTokensPruned = 500;

// The stored run, if there is one.
Result<std::optional<Run>> stored(store::WriteTxn& txn, const std::string& uid) {
  ASSIGN_OR_RETURN(const auto kept, txn.look_at_run(uid));
  return kept ? std::optional<Run>(*kept) : std::nullopt;
}

std::string explained(const scheduler::Unplaced& unplaced) {
  if (unplaced.position == scheduler::kNoPosition) return unplaced.why.message;
  return unplaced.position > 0
             ? cat(unplaced.why.message, "; position ", unplaced.position, " in the queue")
             : cat(unplaced.why.message, "; position over ", scheduler::kToldPositions,
                   " in the queue");
}

Reason reason_of(const scheduler::Why& why) {
  switch (why.what) {
    case scheduler::Why::For::kNode:
      return runs::kUnschedulable;
    case scheduler::Why::For::kTurn:
      return runs::kWaiting;
    case scheduler::Why::For::kQuota:
      return runs::kQuotaInUse;
  }
  return runs::kUnschedulable;
}

std::vector<std::string> named_in(const scheduler::Plan& plan) {
  std::vector<std::string> uids;
  for (const scheduler::Binding& each : plan.bindings) uids.push_back(each.uid);
  for (const scheduler::Preemption& each : plan.preemptions) uids.push_back(each.uid);
  return uids;
}

}  // namespace

Status end_overdue(store::WriteTxn& txn, const ClusterCache& cache, WallTime now,
                   TickReport& report) {
  for (const auto& [deadline, uid] : cache.deadlines()) {
    if (deadline > now.ms) return {};
    ASSIGN_OR_RETURN(std::optional<Run> run, stored(txn, uid));
    if (!run) continue;
    runs::Events events = runs::expire(*run, now);
    if (events.empty()) continue;
    ++report.expired;
    TRY(store::save_run(txn, *run, std::move(events)));
  }
  return {};
}

Status kill_deleted(store::WriteTxn& txn, const ClusterCache& cache, WallTime now) {
  for (const auto& [at, uid] : cache.kills()) {
    if (at > now.ms) return {};
    ASSIGN_OR_RETURN(std::optional<Run> run, stored(txn, uid));
    if (!run) continue;
    runs::Events events = runs::kill_now(*run, now);
    if (!events.empty()) TRY(store::save_run(txn, *run, std::move(events)));
  }
  return {};
}

Status write_plan(store::WriteTxn& txn, const scheduler::Plan& plan, WallTime now,
                  TickReport& report) {
  TRY(txn.expect_runs(named_in(plan)));
  for (const scheduler::Binding& binding : plan.bindings) {
    ASSIGN_OR_RETURN(Run run, txn.run_by_uid(binding.uid));
    ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, binding.node, now));
    TRY(store::save_run(txn, run, std::move(events)));
    ++report.bound;
  }
  for (const scheduler::Preemption& each : plan.preemptions) {
    ASSIGN_OR_RETURN(Run run, txn.run_by_uid(each.uid));
    runs::Events events =
        runs::evict(run, {runs::kPreempted, cat("it gave way to run ", each.by)}, now);
    if (events.empty()) continue;
    ++report.evicted;
    TRY(store::save_run(txn, run, std::move(events)));
  }
  return {};
}

Result<int64_t> write_reasons(store::WriteTxn& txn,
                              const std::vector<scheduler::Unplaced>& unplaced, WallTime now) {
  std::vector<std::string> uids;
  for (const scheduler::Unplaced& each : unplaced) uids.push_back(each.uid);
  TRY(txn.expect_runs(uids));
  int64_t again = 0;
  for (const scheduler::Unplaced& each : unplaced) {
    ASSIGN_OR_RETURN(const auto kept, txn.look_at_run(each.uid));
    const std::string words = explained(each);
    if (!kept || !runs::explains_pending(*kept, reason_of(each.why), words)) continue;
    if (!kept->status.reason.empty()) ++again;
    Run run = *kept;
    TRY(store::save_run(txn, run, runs::explain_pending(run, reason_of(each.why), words, now)));
  }
  return again;
}

// Removes tool tokens an hour after they expired.
Status prune_tool_tokens(store::WriteTxn& txn, WallTime now) {
  constexpr int64_t kKeptMs = int64_t{60} * 60 * 1000;
  ASSIGN_OR_RETURN(const auto old, txn.tool_tokens_expired_before(now.ms - kKeptMs, kMostPruned));
  for (const store::Key& key : old) TRY(txn.erase<contracts::ToolToken>(key));
  return {};
}

Status prune(store::WriteTxn& txn, const Retention& retention, const FinishedCount& finished,
             WallTime now, TickReport& report) {
  TRY(prune_tool_tokens(txn, now));
  ASSIGN_OR_RETURN(int64_t too_many, finished.beyond(txn, retention.max_finished_runs));
  const int64_t too_old_ms = now.ms - retention.finished_runs.value.count();
  const int64_t until_ms = too_many > 0 ? std::numeric_limits<int64_t>::max() : too_old_ms;
  ASSIGN_OR_RETURN(const auto oldest, txn.oldest_finished(until_ms, kMostPruned));
  for (const auto& each : oldest) {
    if (too_many-- <= 0 && each.finished_ms > too_old_ms) break;
    TRY(txn.erase<Run>(each.key));
    ++report.pruned;
  }
  return {};
}

Status prune_audit(store::WriteTxn& txn, const Retention& retention, WallTime now,
                   TickReport& report) {
  ASSIGN_OR_RETURN(const int64_t gone,
                   txn.prune_audit(now.ms - retention.audit.value.count(),
                                   retention.max_audit_events, kMostAuditPruned));
  report.pruned += gone;
  return {};
}

// Tokens are kept for as long as the audit log tells of them.
Status prune_tokens(store::WriteTxn& txn, const Retention& retention, WallTime now,
                    TickReport& report) {
  ASSIGN_OR_RETURN(const int64_t gone,
                   txn.prune_tokens(now.ms, retention.audit.value.count(), kMostTokensPruned));
  report.pruned += gone;
  return {};
}

}  // namespace paddock::reconciler
