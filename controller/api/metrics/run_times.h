// What runs go through and what their sandboxes refuse, for /metrics. Any thread; no lock.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "controller/api/metrics/histogram.h"
#include "controller/runs/measures.h"

namespace paddock::api {

class RunTimes {
 public:
  void count(const runs::Measures& measures);
  // Counts what was denied to a command that is no run.
  void count_denials(const runs::DenialCounts& counts);
  std::string text() const;

 private:
  std::array<Histogram, runs::kStageNames.size()> stages_ = {
      Histogram(Histogram::kRuns), Histogram(Histogram::kRuns), Histogram(Histogram::kRuns),
      Histogram(Histogram::kRuns)};
  std::array<std::atomic<int64_t>, runs::kDenialNames.size()> denials_{};
};

}  // namespace paddock::api
