// What the agent does once an hour, from a thread of its own: at once, then every hour, until
// destroyed.
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>

#include "common/base/guarded.h"
#include "common/base/time.h"

namespace paddock::agent {

class Housekeeping {
 public:
  Housekeeping(const Clock& clock, std::function<void(WallTime now)> chores);
  ~Housekeeping();
  Housekeeping(const Housekeeping&) = delete;
  Housekeeping& operator=(const Housekeeping&) = delete;

 private:
  void work(const Clock& clock, const std::function<void(WallTime)>& chores);

  Guarded<bool> ending_{false};
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace paddock::agent
