// Runs paddock-sandbox on this host and reads its frames.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/env.h"
#include "common/contracts/launch.h"
#include "common/os/fd.h"

namespace paddock::cli {

// Calls `on_output` with each piece of output. Ctrl-C cancels the command; a second one kills it at
// once.
// LAUNCHER_LOST when the launcher ended without a result.
Result<contracts::SandboxResult> launch_here(
    const Env& env, const contracts::LaunchRequest& request,
    const std::function<void(const contracts::Frame&)>& on_output);

// A folder for this process alone, in $TMPDIR or /tmp, gone with its owner: also with one that is
// killed.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make(const Env& env);
  PrivateFolder(PrivateFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")),
        life_(std::move(other.life_)),
        guard_(std::exchange(other.guard_, -1)) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();
  const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  Status guard();
  std::string path_;
  os::Fd life_;  // of this process, as its guard sees it
  pid_t guard_ = -1;
};

// The program's standard output; Internal, PROGRAM_FAILED, if it does not end with 0.
Result<std::string> capture(const Env& env, const std::vector<std::string>& argv);
// The same of one whose exit status is a part of its answer.
struct Captured {
  std::string text;
  int rc = 0;
};
Result<Captured> capture_whole(const Env& env, const std::vector<std::string>& argv);

}  // namespace paddock::cli
