// Counts the system call filters that the programs of one run have installed themselves. The kernel
// compiles each into room that the whole host shares and charges it to nobody; it is freed with the
// last thread that has it. The kernel tells the launcher neither of that nor of forks, by which
// filters are inherited. So this counts the calls that were let through, and takes back the filters
// that no living process can have. The count is never too low. Pure.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace paddock::sandbox {

class FilterCount {
 public:
  // How many there may be at a time. A filter has at most 4,096 instructions, and takes some 51 KiB
  // of that room if all of them are of the costliest kind. Programs that filter their own calls
  // install two or three in each process.
  static constexpr int kMost = 256;

  // The filters and threads of a living process, as they were last seen.
  struct ProcessFilters {
    int filters = 0;  // of the run's own, that bind its first thread
    int threads = 1;
  };
  using Alive = std::map<pid_t, ProcessFilters>;

  bool full() const { return held_ >= kMost; }
  int held() const { return held_; }

  // Counts one more filter of a process of which a thread has `carried` already.
  void add(pid_t process, int carried) {
    int& of_it = by_process_[process];
    of_it = std::max(of_it, carried) + 1;
    ++held_;
  }

  // Only what somebody alive is bound by is still there. `alive` has all processes.
  void recount(const Alive& alive) {
    std::map<pid_t, int> still;
    int64_t sum = 0;
    for (const auto& [process, seen] : alive) {
      const auto known = by_process_.find(process);
      if (known == by_process_.end()) {
        sum += seen.filters;  // all inherited: each of its threads has these
      } else {
        sum += still.emplace(process, own(known->second, seen)).first->second;
      }
    }
    by_process_ = std::move(still);
    held_ = static_cast<int>(std::min<int64_t>(held_, sum));
  }

 private:
  // The filters of one process that has installed some. Its threads have no others than those and
  // the ones with which it began, but nobody knows which thread has which. A process with one
  // thread shows what it has; its last filter may still be on the way.
  static int own(int known, const ProcessFilters& seen) {
    const int most = std::max(known, seen.filters);
    return seen.threads > 1 ? most : std::min(most, seen.filters + 1);
  }

  int held_ = 0;
  std::map<pid_t, int> by_process_;  // of those that have installed some
};

}  // namespace paddock::sandbox
