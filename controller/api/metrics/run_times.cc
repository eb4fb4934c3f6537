#include "controller/api/metrics/run_times.h"

#include "common/base/text.h"
#include "controller/api/metrics/metrics.h"

namespace paddock::api {

void RunTimes::count(const runs::Measures& measures) {
  for (const runs::StageTime& each : measures.stages)
    stages_.at(static_cast<size_t>(each.stage)).add(each.took);
  count_denials(measures.denials);
}

void RunTimes::count_denials(const runs::DenialCounts& counts) {
  for (size_t i = 0; i < counts.size(); ++i)
    denials_.at(i).fetch_add(counts.at(i), std::memory_order_relaxed);
}

std::string RunTimes::text() const {
  constexpr const char* kSeconds = "paddock_run_stage_seconds";
  constexpr const char* kDenials = "paddock_sandbox_denials_total";
  std::string out = metric_type(kSeconds, "histogram", "how long runs were in a stage");
  for (size_t i = 0; i < stages_.size(); ++i)
    out += stages_.at(i).text(kSeconds, cat("stage=\"", runs::kStageNames.at(i), "\""));
  out += metric_type(kDenials, "counter", "what sandboxes refused, by kind");
  for (size_t i = 0; i < denials_.size(); ++i)
    out += metric_line(kDenials, "kind", runs::kDenialNames.at(i), denials_.at(i).load());
  return out;
}

}  // namespace paddock::api
