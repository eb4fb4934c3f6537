// Stores a changed run, its new events and its audit events together, and wakes everybody who waits
// for them.
#pragma once

#include "controller/runs/transitions.h"
#include "controller/store/store.h"

namespace paddock::store {

// Stores a new run (after runs::admit) and wakes the scheduler.
Status create_run(WriteTxn& txn, contracts::Run& run, runs::Events events);
// Stores a changed run and wakes its streams, its node and, when it or its attempt ended, the
// scheduler: room was given back. One whose deletion was asked for goes in this transaction once it
// has ended and no finalizer holds it.
Status save_run(WriteTxn& txn, contracts::Run& run, runs::Events events);
// Whether nothing stands against a deletion: it has ended, so its node has let go of it, nobody
// else has a finalizer on it, and of an array no elements are left.
bool holds_nothing(const contracts::Run& run);
// Erases a run that has ended. How an element ended is counted in its array first, if nobody did.
Status erase_run(WriteTxn& txn, const contracts::Run& run);

}  // namespace paddock::store
