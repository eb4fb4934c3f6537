// How long something took, for what is only measured: nothing may be decided by it, so no test and
// no simulation can hang on it. What decides takes a Clock.
#pragma once

#include <chrono>

namespace paddock {

using Micros = std::chrono::microseconds;

class Stopwatch {
 public:
  Micros elapsed() const {
    return std::chrono::duration_cast<Micros>(std::chrono::steady_clock::now() - started_);
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace paddock
