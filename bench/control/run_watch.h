// A client that waits for runs: one watch, opened before they are created, tells how each ends.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "bench/control/wire.h"

namespace paddock::bench {

class RunWatch {
 public:
  explicit RunWatch(const Address& address);
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  struct End {
    std::chrono::system_clock::time_point seen;
    std::string phase;
  };
  // Waits for the end of this run.
  End wait_for(const std::string& name);

 private:
  void read();
  void take(std::string_view line);

  Wire wire_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, End> ended_;
  bool over_ = false;
  std::thread reader_;
};

}  // namespace paddock::bench
