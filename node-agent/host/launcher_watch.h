// Notices that the launcher's file was replaced or changed, as an upgrade does while the agent
// runs. Has a thread of its own, from which it calls; the destructor ends it. Where the kernel
// cannot watch the folder, nothing is noticed before the next start.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "common/os/event.h"

namespace paddock::agent {

class LauncherWatch {
 public:
  LauncherWatch(std::string program, std::function<void()> changed);
  ~LauncherWatch();
  LauncherWatch(const LauncherWatch&) = delete;
  LauncherWatch& operator=(const LauncherWatch&) = delete;

 private:
  std::string program_;
  std::function<void()> changed_;
  os::Event end_;
  std::thread thread_;
};

}  // namespace paddock::agent
