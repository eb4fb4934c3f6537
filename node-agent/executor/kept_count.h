// What a run takes of the disk for who puts files into it, counted by one at a time and kept for a
// while: where there are a million names a count takes seconds of a processor that no limit of the
// run bounds, and its owner decides how often it is wanted. Any thread.
#pragma once

#include <functional>
#include <mutex>

#include "common/base/time.h"
#include "common/os/folder_use.h"

namespace paddock::executor {

class KeptCount {
 public:
  explicit KeptCount(const Clock& clock) : clock_(clock) {}
  // As `count` says, now or at most kGoodFor times as long ago as it took: a run that freed much
  // just now has that room a little later.
  static constexpr int kGoodFor = 3;
  os::FolderUse use(const std::function<os::FolderUse()>& count);
  // What was put there since by somebody else than the run.
  void add(int64_t bytes, int64_t files);

 private:
  const Clock& clock_;
  std::mutex counting_;  // guards the rest
  os::FolderUse last_;
  MonoTime good_until_;
};

}  // namespace paddock::executor
