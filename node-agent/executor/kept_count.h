// The disk use of a run, for callers that put files into it. One caller at a time counts, and the
// count is kept for a while: where there are a million names, a count takes seconds of a processor
// that no limit of the run bounds, and the run's owner decides how often it is wanted. Any thread.
#pragma once

#include <functional>
#include <mutex>

#include "common/base/time.h"
#include "common/os/folder_use.h"

namespace paddock::executor {

class KeptCount {
 public:
  explicit KeptCount(const Clock& clock) : clock_(clock) {}
  // The result of `count`: a new one, or one that is at most kGoodFor times as old as counting
  // took. So a run that has just freed much may get that room a little later.
  static constexpr int kGoodFor = 3;
  os::FolderUse use(const std::function<os::FolderUse()>& count);
  // Adds what somebody other than the run has put there since the count.
  void add(int64_t bytes, int64_t files);

 private:
  const Clock& clock_;
  std::mutex counting_;  // guards the rest
  os::FolderUse last_;
  MonoTime good_until_;
};

}  // namespace paddock::executor
