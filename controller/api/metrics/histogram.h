// How long things took, counted by bounds, in the text form that Prometheus reads. Any thread;
// adding takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "controller/base/stopwatch.h"

namespace paddock::api {

class Histogram {
 public:
  static constexpr size_t kBounds = 13;
  using Bounds = std::array<int64_t, kBounds>;  // of milliseconds, growing
  // What a caller waits for, and what a run goes through.
  static constexpr Bounds kAnswers = {1,   2,   5,     10,    25,     50,    100,
                                      250, 500, 1'000, 5'000, 15'000, 60'000};
  static constexpr Bounds kRuns = {10,        50,         100,       500,     1'000,
                                   5'000,     15'000,     60'000,    300'000, 900'000,
                                   3'600'000, 14'400'000, 86'400'000};

  Histogram() = default;
  explicit Histogram(const Bounds& bounds) : bounds_(&bounds) {}  // they outlive it
  void add(Micros took);
  int64_t count() const;
  // Its value lines. `labels`: `name="value",…`, or empty.
  std::string text(std::string_view name, std::string_view labels = {}) const;

 private:
  const Bounds* bounds_ = &kAnswers;
  std::array<std::atomic<int64_t>, kBounds + 1> held_{};  // by the first bound that holds it
  std::atomic<int64_t> sum_{0};                           // microseconds
};

}  // namespace paddock::api
