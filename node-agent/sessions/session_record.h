// The service's record of one session. Only this module includes it.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "common/os/event.h"
#include "common/os/file.h"
#include "node-agent/sessions/service.h"

namespace paddock::sessions {

inline constexpr std::chrono::microseconds kAtOnce{0};

struct Service::Session {
  std::string uid;
  std::string folder;
  contracts::LaunchRequest base;
  os::Event ending;                 // readable from its end on
  std::atomic<bool> listed{false};  // the controller has named it
  int64_t uses = 0;                 // guarded by the service's state
  int unnamed = 0;                  // by how many answers; guarded likewise
  std::string why_ended;            // for the disk, if it was; guarded likewise
  bool emptied = false;             // of its files, then; guarded likewise
  std::multiset<pid_t> launchers;   // of its commands under way; guarded likewise
  std::atomic<uint64_t> commands{0};
  // Its files may be over its limits: nobody has counted them since something could go wrong.
  std::atomic<bool> doubted{true};
  std::mutex counting;  // by one at a time: who finds no doubt relies on the count

  std::string workspace() const { return os::join_path(folder, "workspace"); }
  // Why, of one that was ended for the disk.
  std::string end_file() const { return os::join_path(folder, "ended"); }
  Millis wall_time() const {
    const auto& limit = base.policy.limits.wall_time;
    return limit ? limit->value : Millis(std::chrono::hours(24));
  }
  void end() const { ending.raise(); }
};

}  // namespace paddock::sessions
