// Counters of this process, in the text form that Prometheus reads. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "controller/api/metrics/device_time.h"
#include "controller/api/metrics/execute_metrics.h"
#include "controller/api/metrics/http_times.h"
#include "controller/api/metrics/run_times.h"

namespace paddock::api {

class Metrics {
 public:
  void count_answer(int status) { ++answers_[static_cast<size_t>(status / 100) % answers_.size()]; }
  void count_commit() { ++commits_; }
  // A batch of the store, which is on the disk; see StoreOptions::on_measured.
  void count_batch(Micros took, const std::vector<runs::Measures>& measures);
  void count_denial() { ++denials_; }
  std::atomic<int64_t> streams{0};  // open streaming answers
  ExecuteMetrics execute;
  DeviceTimeMetrics device_time;
  HttpTimes http;
  RunTimes runs;

  // `# TYPE …` and value lines; `execute` and `device_time` have their own.
  std::string text() const;

 private:
  std::array<std::atomic<int64_t>, 6> answers_{};  // by hundreds of the HTTP status
  std::atomic<int64_t> commits_{0};
  std::atomic<int64_t> denials_{0};
  Histogram commit_times_;
};

// One metric's header and value lines.
std::string metric_type(const char* name, const char* type, const char* help);
std::string metric_line(const char* name, const char* label, std::string_view label_value,
                        int64_t value);
std::string metric_seconds(int64_t ms);  // 1234 -> 1.234

}  // namespace paddock::api
