// A changed run, its new events and what the audit log says of them, stored together; and everybody
// told who must look.
#pragma once

#include "controller/runs/transitions.h"
#include "controller/store/store.h"

namespace paddock::store {

// Stores a new run (after runs::admit) and wakes the scheduler.
Status create_run(WriteTxn& txn, contracts::Run& run, runs::Events events);
// Stores a changed run and wakes its streams, its node and, when it or its attempt ended, the
// scheduler: room was given back.
Status save_run(WriteTxn& txn, contracts::Run& run, runs::Events events);

}  // namespace paddock::store
