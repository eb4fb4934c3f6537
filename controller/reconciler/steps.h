// The steps of one tick, each inside the tick's transaction.
#pragma once

#include <set>
#include <string>

#include "controller/reconciler/cluster_cache.h"
#include "controller/reconciler/finished_count.h"
#include "controller/reconciler/reconciler.h"

namespace paddock::reconciler {

// Nodes whose lease is over get nothing new.
Status mark_silent_nodes(store::WriteTxn& txn, const ClusterCache& cache,
                         const nodes::LeaseTable& leases, MonoTime now);
// Runs whose nodes will never report: silent for too long, or removed. `given_up`: nodes for which
// this was done, until they are heard from again.
Status give_up_lost(store::WriteTxn& txn, const ClusterCache& cache,
                    const nodes::LeaseTable& leases, std::set<std::string>& given_up,
                    nodes::Now now, TickReport& report);
// Nodes that have rested are tried again.
Status end_rests(store::WriteTxn& txn, const ClusterCache& cache, WallTime now);
Status end_overdue(store::WriteTxn& txn, const ClusterCache& cache, WallTime now,
                   TickReport& report);
// Runs whose deletion leaves them less than their own grace are killed once that is over.
Status kill_deleted(store::WriteTxn& txn, const ClusterCache& cache, WallTime now);
// Time that this controller was away counts for no session: nobody could use one.
Status put_off_sessions(store::WriteTxn& txn, WallTime now, Millis away);
// The calendar was set back: none is due later than if it were made, or used, now.
Status bring_sessions_nearer(store::WriteTxn& txn, WallTime now);
// Sessions that nobody used for too long, or that have lived long enough; and those that ended long
// ago go.
Status sweep_sessions(store::WriteTxn& txn, WallTime now, TickReport& report);
Status end_on_drained_nodes(store::WriteTxn& txn, const ClusterCache& cache, WallTime now,
                            TickReport& report);
Status end_sessions_on_drained_nodes(store::WriteTxn& txn, const ClusterCache& cache, WallTime now);
// Sessions whose nodes have got into trouble, or out of it, 50 at a time: lists and watches see
// that by the sessions alone.
Status tell_of_nodes(store::WriteTxn& txn, const ClusterCache& cache, WallTime now,
                     TickReport& report);
Status write_plan(store::WriteTxn& txn, const scheduler::Plan& plan, WallTime now,
                  TickReport& report);
// Returns how many of them had a reason already.
Result<int64_t> write_reasons(store::WriteTxn& txn,
                              const std::vector<scheduler::Unplaced>& unplaced, WallTime now);
// Removes what is too old at `now`, and what exceeds the numbers that may be kept.
Status prune(store::WriteTxn& txn, const Retention& retention, const FinishedCount& finished,
             WallTime now, TickReport& report);
Status prune_audit(store::WriteTxn& txn, const Retention& retention, WallTime now,
                   TickReport& report);
Status prune_tokens(store::WriteTxn& txn, const Retention& retention, WallTime now,
                    TickReport& report);
// When the next lease, grace, deadline, drain or delayed attempt can be due.
Millis next_tick(const ClusterCache& cache, const nodes::LeaseTable& leases, nodes::Now now);

}  // namespace paddock::reconciler
