// Runs commands through the built paddock-sandbox, as root and as an ordinary user, each in folders
// of its own. What a test leaves behind on the host is checked here too.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/launch.h"
#include "common/os/fd.h"

namespace paddock::adversarial {

constexpr int64_t kMiB = int64_t{1} << 20;
// For what ends by itself: a loaded machine, which gives some process no processor for long, must
// not decide a test.
constexpr Millis kAmple{600'000};

enum class As { kRoot, kUser };

struct Finished {
  int exit_code = -1;
  std::optional<contracts::SandboxResult> result;
  std::string out;  // of all frames
  std::string err;
  bool started = false;
};

// A launcher that has been started and not yet waited for: our child, or a server's, which ends
// when its connection hangs up.
class Launched {
 public:
  Launched(pid_t pid, std::string events, os::Fd connection = {})
      : pid_(pid), events_(std::move(events)), connection_(std::move(connection)) {}
  pid_t pid() const { return pid_; }
  // Blocks until `text` was written to stdout; false if the launcher ended first.
  bool wait_for_output(std::string_view text) const;
  Finished wait();
  // Without a look at what it leaves behind. Returns the exit code; 0 for a server's.
  int wait_end();
  // The pid in the `started` frame.
  std::optional<int64_t> sandbox_pid() const;

 private:
  Finished read() const;
  bool has_ended() const;
  pid_t pid_;
  std::string events_;
  os::Fd connection_;
};

class SandboxTest : public testing::TestWithParam<As> {
 protected:
  void SetUp() override;
  void TearDown() override;

  contracts::LaunchRequest request(std::vector<std::string> command) const;
  // The path inside of a probe, with its arguments.
  std::vector<std::string> probe(const std::string& name,
                                 std::vector<std::string> arguments = {}) const;
  virtual Launched start(const contracts::LaunchRequest& request);
  // A path without suffix for the files of the next launch, its request written.
  std::string write_request(const contracts::LaunchRequest& request);
  // As root or as an ordinary user, as the test says.
  pid_t spawn_launcher(std::vector<std::string> words) const;
  Finished run(const contracts::LaunchRequest& request) { return start(request).wait(); }
  Finished run(std::vector<std::string> command) { return run(request(std::move(command))); }
  // Cancels it once it has written this, and expects it to end as canceled.
  Finished cancel_at(const contracts::LaunchRequest& request, const std::string& said);
  // Expects it to end with its wall time, of which it has more and more where the machine needs
  // that until it is `ready`, by what it printed.
  Finished run_out_of_time(contracts::LaunchRequest request, Millis usual,
                           const std::function<bool(const std::string& out)>& ready);
  // Runs a probe and expects it to find no way out.
  Finished expect_contained(const std::string& name, std::vector<std::string> arguments = {});
  Finished python(const std::string& code);

  bool as_root() const { return GetParam() == As::kRoot; }
  const std::string& folder() const { return folder_; }
  std::string workspace() const { return folder_ + "/workspace"; }
  std::string launcher() const { return folder_ + "/paddock-sandbox"; }

  // Done in the launcher's process before its program starts: makes a worse host of this one.
  std::function<void()> in_launcher_;

 private:
  std::string folder_;
  int launches_ = 0;
};

// Processes of this host whose ancestor in /proc is `pid`, or pid itself.
bool process_exists(pid_t pid);
// Folders of launchers in any cgroup hierarchy, and whom they are named after.
struct Maker {
  pid_t pid;
  uint64_t start_ticks;  // since boot
};
std::map<std::string, Maker> run_cgroups();
// The cgroups of a launcher that this program has seen start. One that was killed long ago, in
// whatever cgroup, may have had the same pid.
std::vector<std::string> cgroups_of(pid_t launcher);
// Waits, with a generous bound, until nothing with this marker in its environment or command is
// alive.
bool gone_with_marker(const std::string& marker);

inline std::string name_of(const testing::TestParamInfo<As>& info) {
  return info.param == As::kRoot ? "Root" : "User";
}

}  // namespace paddock::adversarial
