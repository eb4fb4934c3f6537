// Keeps the list of nodes: enrolment, removal, and what a node may see.
#pragma once

#include <functional>
#include <string>

#include "common/base/random.h"
#include "common/contracts/sync.h"
#include "controller/nodes/leases.h"
#include "controller/store/store.h"

namespace paddock::nodes {

// A callback that records who did it, in the same transaction.
using Record = std::function<Status(store::WriteTxn&)>;

// Makes or renews a node and hands out its credential: a token with scope node:self and subject
// "node:<name>", stored as a hash. The same identity may enrol again, which revokes its older
// tokens. InvalidArgument (NODE_NAME_INVALID, NODE_LABELS_INVALID); Conflict (NODE_NAME_TAKEN) for
// another identity. `token_id`: of the one-use token it is done with (credentials.h), if it is one.
Result<contracts::EnrollAnswer> enroll(store::Store& store, const std::string& node,
                                       const contracts::EnrollRequest& request, WallTime now,
                                       Random& random, const Record& record = {},
                                       const std::string& token_id = {});
// InvalidArgument (NODE_NAME_INVALID).
Status check_node_name(const std::string& node);

// For an agent whose protocol version is refused: its node is not ready, and says why.
Status note_mismatch(store::Store& store, const std::string& node, int64_t protocol,
                     const std::string& message);

// Revokes the node's tokens, those that were to enrol it too, and forgets it. Its runs end with
// NODE_LOST at the next tick.
Status remove(store::Store& store, LeaseTable& leases, const std::string& node,
              const Record& record = {});

// The same, where the node itself asks for it. Conflict (NODE_HAS_RUNS) while it has runs or
// sandbox sessions, unless forced.
Status leave(store::Store& store, LeaseTable& leases, const std::string& node, bool force,
             const Record& record = {});

// The run, if this node holds it now: it may then read the run's tree and blobs and send its
// artifacts. NotFound (RUN_NOT_ASSIGNED) otherwise, whether or not such a run exists.
Result<contracts::Run> assigned_run(store::Store& store, const std::string& node,
                                    const std::string& run_uid);

}  // namespace paddock::nodes
