// Records which runs' commands may have been started, so that it outlives a loss of power: one file
// with a slot for each run, written in place, so that an intent costs one write to the disk and no
// change of folders. While the machine lives, a run's own folder tells the same and more.
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/guarded.h"
#include "common/os/fd.h"
#include "common/os/sync.h"

namespace paddock::executor {

class LaunchIntents {
 public:
  using Sync = int (*)(int fd);  // as os::sync_data
  // Makes the file if it is not there.
  static Result<std::unique_ptr<LaunchIntents>> open(const std::string& path,
                                                     Sync to_disk = os::sync_data);

  // `run`: RunFolder::name_of(). On the disk when this returns, and only then is it noted. After a
  // write that the disk did not keep (LAUNCHES_UNWRITABLE, or what system_error() says of a full
  // one) all is written anew before anything more is noted.
  Status note(const std::string& run);
  bool noted(const std::string& run) const;
  // Call it when the folder of the run was removed. It need not survive a loss of power: a note
  // that stays only prevents the start of a run that no longer exists.
  void forget(const std::string& run);
  // `folders`: of the runs, sorted. What was noted since the machine started and has none was on
  // its way to be forgotten; of what was noted before, the loss of power may have taken the folder.
  void keep_only(const std::vector<std::string>& folders);

 private:
  struct Intent {
    int64_t slot = 0;
    std::string boot;
  };
  struct State {
    std::map<std::string, Intent, std::less<>> runs;
    std::vector<int64_t> unused;
    int64_t end = 0;
    int64_t mended = 0;  // of failures_
  };
  LaunchIntents(os::Fd file, State state, std::string boot, Sync to_disk)
      : file_(std::move(file)),
        boot_(std::move(boot)),
        to_disk_(to_disk),
        state_(std::move(state)) {}
  int64_t failures() const;
  Status flush();
  Status reserve(int64_t slots);
  Status write_anew(const State& state);
  static Result<State> read(const os::Fd& file);

  const os::Fd file_;
  const std::string boot_;
  const Sync to_disk_;
  Guarded<State> state_;
  // How many writes the disk failed. The kernel reports a failed write once, to the first caller
  // that flushes, although it may have dropped the data of others. So flushes run one after the
  // other, and each checks this number before it reports success.
  Guarded<int64_t> failures_{0};
};

}  // namespace paddock::executor
