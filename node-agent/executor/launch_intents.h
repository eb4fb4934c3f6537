// Which runs' commands may have been started, outliving a loss of power: one file with a slot for
// each, written in place, so that an intent costs one write to the disk and no change of folders.
// While the machine lives, a run's own folder tells the same and more. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/guarded.h"
#include "common/os/fd.h"

namespace paddock::executor {

class LaunchIntents {
 public:
  // Makes the file if it is not there.
  static Result<std::unique_ptr<LaunchIntents>> open(const std::string& path);

  // `run`: RunFolder::name_of(). On the disk when this returns, and only then is it noted.
  Status note(const std::string& run);
  bool noted(const std::string& run) const;
  // Its folder is gone, as it should be. Needs not outlive a loss of power: an intent too many
  // keeps a run from being started that nobody asks for any more.
  void forget(const std::string& run);
  // Since the last start of this machine every run with an intent still has its folder, or was
  // forgotten. Called once, with the names of the folders.
  void keep_only(const std::vector<std::string>& folders);

 private:
  struct State {
    std::map<std::string, int64_t, std::less<>> slots;  // by run
    std::vector<int64_t> unused;
    int64_t end = 1;  // slot 0 says which boot of the machine wrote last
  };
  LaunchIntents(os::Fd file, State state, bool same_boot)
      : file_(std::move(file)), state_(std::move(state)), same_boot_(same_boot) {}
  static Result<State> read(const os::Fd& file, std::string& boot);

  const os::Fd file_;
  Guarded<State> state_;
  const bool same_boot_;
};

}  // namespace paddock::executor
