// The disk that a run takes of its node, and what it asked for. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "common/base/guarded.h"
#include "common/os/folder_use.h"
#include "node-agent/executor/command_launch.h"
#include "node-agent/executor/kept_count.h"
#include "node-agent/executor/step.h"

namespace paddock::executor {

class RunDisk {
 public:
  static constexpr int64_t kNamesLookedAt = 20'000;  // some hundredth of a second
  // Both outlive it.
  RunDisk(const StepContext& run, const CommandLaunch& launch)
      : run_(run), launch_(launch), counted_(std::make_shared<KeptCount>(run.ports.clock)) {}

  // The command begins now, or has begun: changes from then on count as written by the command.
  void begins();
  void began(std::optional<int64_t> time_ms);

  std::optional<int64_t> asked() const;
  // The bytes that the command has written, as far as can be counted in a moment, and how many of
  // them are within what it asked for.
  int64_t written(int64_t most_names = kNamesLookedAt) const;
  int64_t written_as_asked() const;
  // All that the run has taken, hidden files too, as it is now: counting takes a second or two
  // where there are a million names, and kCountTime at most.
  os::FolderUse taken() const;
  // The same, counted now or a little while ago (kept_count.h), so that the run itself may ask
  // often.
  os::FolderUse taken_lately() const;
  // A function to be called with what somebody other than the run puts there. It may outlive this
  // object.
  std::function<void(int64_t bytes, int64_t files)> adder() const;

  // free_files() removes the run's files and keeps its folder; erase() removes both. One caller at
  // a time, each once.
  void free_files();
  Status erase();

 private:
  os::FolderUse count(const std::function<bool()>& over) const;

  static constexpr int64_t kNotBegun = INT64_MAX;
  const StepContext& run_;
  const CommandLaunch& launch_;
  Guarded<bool> freed_{false};
  const std::shared_ptr<KeptCount> counted_;
  std::atomic<int64_t> begun_ns_ = kNotBegun;
};

}  // namespace paddock::executor
