// The server half of the agent's conversation: what the node observes goes in, what should be comes
// out. Idempotent: a lost, repeated or reordered call needs no special case.
//
// The caller (the API handler) does the waiting:
//   uint64_t seen = notifier.version(store::node_topic(node));
//   answer = synchronize(...);
//   hold = hold_for(request, answer, lease);
//   if (hold > 0) { notifier.wait(topic, seen, hold); answer = synchronize(...
//     with a request of the same process and no reports) }
#pragma once

#include <string>

#include "common/contracts/sync.h"
#include "controller/nodes/leases.h"
#include "controller/nodes/reports.h"
#include "controller/store/store.h"
#include "controller/volumes/publish.h"

namespace paddock::nodes {

// Renews the lease, stores what changed, applies the reports (output exactly once and in order, an
// outcome only after its output), and answers with what the node should hold. Reports about runs
// that are not this node's, not this attempt's or finished are ignored: the answer lacks those
// runs. A run that publishes does so in the same transaction that ends it; `publishing` is what
// volumes::prepare() says of the request. `held` becomes the device time of the attempts that ended
// with it, each once. On a full disk runs that go on keep their output for now. Errors:
// NODE_NOT_FOUND, SESSION_SUPERSEDED, OUTPUT_INVALID, OUTCOME_NOT_TERMINAL, STORE_….
Result<contracts::SyncAnswer> synchronize(store::Store& store, LeaseTable& leases,
                                          const std::string& node,
                                          const contracts::SyncRequest& request, Now now,
                                          const volumes::Publishing& publishing = {},
                                          DeviceTimes* held = nullptr);

// The version that synchronize() would answer with now, and nothing else.
Result<std::string> desired_version(store::Store& store, const std::string& node);

// How long the call is held before it is answered: nothing if the node does not know this version
// yet or has sent something that it waits to see acknowledged. Half of the `lease` at most, so that
// a held call does not cost its node the lease.
Millis hold_for(const contracts::SyncRequest& request, const contracts::SyncAnswer& answer,
                Millis lease);
// However long the lease is.
inline constexpr Millis kMaxHold{10'000};
// How long a call is held while the store's disk is full: after that the node sends its output
// again.
inline constexpr Millis kHoldWhileFull{1'000};

}  // namespace paddock::nodes
