// Counts the living processes of a run, and how many filters of system calls bind each. Processes
// come and go meanwhile, but none is missed: one that was there from the beginning to the end is
// seen, and those born meanwhile are looked for by their number, until there is no new one.
#pragma once

#include "node-agent/sandbox/linux/notify/filter_count.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

struct ProcessCensus {
  bool whole = false;        // false: processes are born too fast to be counted
  FilterCount::Alive alive;  // with the launcher's filters; some may have ended meanwhile
  int looks = 0;             // how many processes were looked at
};

// Counts the processes in the asker's user and pid namespaces. It reads nothing that they could
// hold up.
ProcessCensus take_census(const NotifyingThread& asker, const NotifyingThread::Process& asking,
                          const Clock& clock);

}  // namespace paddock::sandbox
