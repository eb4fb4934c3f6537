// A thread that does something at regular times.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "common/base/time.h"

namespace paddock::agent {

// Calls `work` every so often, from a thread of its own, until destroyed. Where there is no thread
// left that is logged, and nothing is called.
class Regularly {
 public:
  enum class First { kAtOnce, kLater };
  Regularly(First first, Millis every, std::function<void()> work);
  ~Regularly();
  Regularly(const Regularly&) = delete;
  Regularly& operator=(const Regularly&) = delete;

 private:
  void run(First first);

  const std::function<void()> work_;
  const Millis every_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace paddock::agent
