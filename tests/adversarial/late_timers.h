// What a test of a limit of time allows for the machine that it runs on.
#pragma once

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <vector>

#include "common/base/time.h"

namespace paddock::adversarial {

// How late this machine's timers are meanwhile, for threads that do nothing else, as the one that
// keeps a run's time: the latest of all.
class LateTimers {
 public:
  Millis latest() const { return Millis(latest_); }

 private:
  static constexpr Millis kSleep{5};
  static constexpr int kThreads = 4;

  void keep(const std::stop_token& over) {
    while (!over.stop_requested()) {
      const auto due = std::chrono::steady_clock::now() + kSleep;
      std::this_thread::sleep_until(due);
      const auto late = std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - due);
      for (int64_t was = latest_; late.count() > was;)
        if (latest_.compare_exchange_weak(was, late.count())) break;
    }
  }

  std::atomic<int64_t> latest_{0};
  std::vector<std::jthread> threads_ = [this] {
    std::vector<std::jthread> out;
    for (int i = 0; i < kThreads; ++i)
      out.emplace_back([this](const std::stop_token& over) { keep(over); });
    return out;
  }();
};

}  // namespace paddock::adversarial
