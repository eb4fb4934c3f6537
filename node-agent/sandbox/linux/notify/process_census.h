// Who of a run is alive, and how many filters of system calls each is bound by. The processes come
// and go meanwhile, and can hide in no gap: one that was there from the beginning to the end is
// seen, and one that was born meanwhile is looked for by its number, until none was.
#pragma once

#include "node-agent/sandbox/linux/notify/filter_count.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

struct ProcessCensus {
  bool whole = false;        // else so many are born that it says nothing
  FilterCount::Alive alive;  // with the launcher's filters; some may have ended meanwhile
  int looks = 0;             // what it took
};

// Counts the processes in the asker's user and pid namespaces. It reads nothing that they could
// hold up.
ProcessCensus take_census(const NotifyingThread& asker, const NotifyingThread::Process& asking,
                          const Clock& clock);

}  // namespace paddock::sandbox
