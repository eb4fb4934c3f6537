// A changed run and its new events, stored together, and everybody told who must look.
#pragma once

#include "controller/runs/transitions.h"
#include "controller/store/store.h"

namespace paddock::store {

// Stores a new run (after runs::admit) and wakes the scheduler.
Status create_run(WriteTxn& txn, contracts::Run& run, runs::Events events);
// Stores a changed run. Wakes its streams; its node, and the scheduler when the run became free to
// place or gave room back.
Status save_run(WriteTxn& txn, contracts::Run& run, runs::Events events);

}  // namespace paddock::store
