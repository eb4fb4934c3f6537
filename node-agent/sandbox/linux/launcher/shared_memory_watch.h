// Looks at what each process of a run holds in memory where no cgroup counts it. RLIMIT_DATA bounds
// what a process may write to and shares with nobody. It sees neither mapped memory that is shared
// (MAP_SHARED, memfd, files of /dev/shm) nor page tables, nor memory that was made read-only after
// it was filled. The kernel tells all three without a lock that a program could hold.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/base/time.h"

namespace paddock::sandbox {

class SharedMemoryWatch {
 public:
  // `init`: the sandbox's first process. `most_bytes`: what one process may hold of it.
  SharedMemoryWatch(pid_t init, int64_t most_bytes) : init_(init), most_bytes_(most_bytes) {}

  // Whether one holds more. Call it every 100 ms or so. It looks for a tenth of its time, where
  // that takes less than a second.
  bool look(const Clock& clock);

 private:
  pid_t init_;
  int64_t most_bytes_;
  MonoTime rests_until_;
};

}  // namespace paddock::sandbox
