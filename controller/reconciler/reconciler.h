// The controller's own work, in steps: it notices silent nodes, gives up the runs of lost nodes,
// ends runs that are past their deadline or in the way of a drain, places waiting runs, says why
// the others wait, tells sessions of their nodes' troubles, and forgets those that ended long ago.
// There is no thread inside; the caller calls tick() when store::kSchedulerTopic is touched and at
// the latest after `next`.
//
// It keeps a cache of active runs and nodes (scheduler::Cluster) and reads only what changed since
// the last tick. The cache is never the truth: every decision is written against the stored
// objects, and when a write fails the cache is thrown away and read anew.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/suspension.h"
#include "controller/base/leap_guard.h"
#include "controller/nodes/leases.h"
#include "controller/reconciler/queue_reservation.h"
#include "controller/reconciler/settings.h"
#include "controller/scheduler/cluster.h"
#include "controller/store/store.h"

namespace paddock::reconciler {

class ClusterCache;

struct TickReport {
  Millis next{0};          // at the latest
  int64_t bound = 0;       // runs given to a node
  int64_t lost = 0;        // attempts given up with their node
  int64_t expired = 0;     // runs past their deadline
  int64_t evicted = 0;     // placed runs that are being ended
  int64_t pruned = 0;      // ended runs and audit events that were forgotten
  int64_t waiting = 0;     // runs that are not placed now
  bool more = false;       // elements of arrays, or sessions, are left for the next tick, at once
  Millis next_session{0};  // until a session's time has come
  Millis next_drain{0};    // until the next run is told to end for a drain, or killed
};

// Counts since the start, and the present state, for /metrics.
struct Totals {
  TickReport sum;
  int64_t ticks = 0;
  int64_t reloads = 0;  // of the cluster cache: times that it was read anew
  int64_t waiting = 0;
  int64_t placed = 0;
  std::map<std::string, scheduler::Usage> usage;
};

class Reconciler {
 public:
  Reconciler(store::Store& store, nodes::LeaseTable& leases, Settings settings = {});
  ~Reconciler();

  // One at a time; any thread.
  Result<TickReport> tick(nodes::Now now);
  // To be called before each tick and, between them, at least every look_every(). A controller that
  // did not live for longer than a part of a lease has heard nobody meanwhile: leases begin anew,
  // and the next tick puts the times of sessions off by what it answers. Any thread.
  Millis look(nodes::Now now);
  Millis look_every() const { return leases_.times().lease / 10; }
  // The clock less the time that this controller was away: for what ends after a while. Any thread.
  MonoTime lived(nodes::Now now);
  // At the start, before anything is written: by how much the calendar is ahead of the newest
  // record, if that is more than a day. It leapt while nobody looked, or nobody was here for so
  // long; a store cannot tell which, and nothing is forgotten for its age for an hour. 0: it is
  // less, or there is no record.
  Result<Millis> look_back(nodes::Now now);
  // Whether what is old by the calendar may be forgotten: not for an hour after it leapt ahead.
  // Any thread.
  bool may_forget(nodes::Now now);

  // An error once several ticks in a row have failed, with what the last one said. Any thread;
  // never waits for a tick.
  Status check_works() const;

  // What would happen to a run if it were created now. Any thread; reads no more than changed.
  Result<scheduler::Preview> preview(const contracts::Run& run);
  // Refuses what the operator's quota does not let in whatever else is there: QUOTA_PRIORITY,
  // QUOTA_TOO_SMALL.
  Status check_bounds(const contracts::Run& run) const;
  // Places in the queue for new runs with these uids, to be held until they are stored; all of them
  // or none: QUOTA_PENDING. Must not outlive this. Any thread, but not inside of a transaction.
  Result<QueueReservation> reserve_queue(const std::string& name_space,
                                         std::vector<std::string> uids);
  // The same, with the number of places that each takes: queue_places().
  Result<QueueReservation> reserve_places(const std::string& name_space,
                                          std::map<std::string, int64_t> places);
  // Room for a new session in the quotas of its namespace, which runs share, likewise:
  // QUOTA_USED_UP, QUOTA_TOO_SMALL.
  Result<QueueReservation> reserve_session(const contracts::Sandbox& session);
  // Whether the operator bounds what this namespace has at once.
  bool bounds(const std::string& name_space) const { return quotas_.bounds(name_space); }
  Totals totals() const;
  // The use of a namespace that a grant bounds, as of the last tick. Any thread may call this, also
  // inside of transactions, for which it never waits.
  std::optional<contracts::QuotaUse> quota_use(const std::string& name_space) const;
  // The fingerprints of the cache and of a cache made anew from the store. If they differ, the
  // cache missed something.
  Result<std::pair<std::string, std::string>> fingerprints();

 private:
  struct State;
  Result<TickReport> tick(State& state, nodes::Now now);
  Status work(store::WriteTxn& txn, State& state, nodes::Now now, Millis owed, bool full,
              TickReport& report);
  Status place(store::WriteTxn& txn, State& state, nodes::Now now, TickReport& report);
  Status forget_old(store::WriteTxn& txn, State& state, nodes::Now now, TickReport& report);
  Status advance_arrays(store::WriteTxn& txn, State& state, bool full, WallTime now,
                        TickReport& report);
  Status check_gang(const std::string& space, const contracts::Run& run) const;
  Status catch_up(State& state);
  bool leapt_lately(MonoTime now) const;
  void publish_quota_use(const ClusterCache& cache);

  store::Store& store_;
  nodes::LeaseTable& leases_;
  const Settings settings_;
  const scheduler::Quotas quotas_;  // the operator's
  Guarded<std::map<std::string, contracts::QuotaUse>> quota_use_;
  Guarded<std::unique_ptr<State>> state_;
  struct Failing {
    int64_t in_a_row = 0;
    Error last;
  };
  Guarded<Failing> failing_;
  struct Away {
    std::optional<SuspensionDetector> suspension;
    Millis owed{0};  // to the times of sessions
    Millis total{0};
    LeapGuard leap;
  };
  Guarded<Away> away_;
};

}  // namespace paddock::reconciler
