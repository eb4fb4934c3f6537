#include "controller/api/metrics/execute_metrics.h"

#include "common/base/text.h"
#include "controller/api/metrics/metrics.h"

namespace paddock::api {
namespace {

constexpr std::array<const char*, 10> kOutcomeNames = {"ok",      "failed",  "timeout",  "limit",
                                                       "denied",  "refused", "canceled", "busy",
                                                       "no_node", "error"};
constexpr const char* kExecuteSeconds = "paddock_execute_seconds";

std::string gauge(const char* name, const char* help, size_t value) {
  return metric_type(name, "gauge", help) + metric_line(name, "", "", static_cast<int64_t>(value));
}

}  // namespace

ExecuteOutcome outcome_of(const contracts::SnippetReport& report) {
  if (!report.result) return ExecuteOutcome::kRefused;
  using enum contracts::SandboxStatus;
  switch (report.result->status) {
    case kOk:
      return ExecuteOutcome::kOk;
    case kFailed:
    case kKilledTerm:
    case kKilledKill:
      return ExecuteOutcome::kFailed;
    case kTimeout:
      return ExecuteOutcome::kTimeout;
    case kCpuLimit:
    case kMemLimit:
    case kLimitExceeded:
      return ExecuteOutcome::kLimit;
    case kForbiddenSyscall:
      return ExecuteOutcome::kDenied;
    case kCanceled:
      return ExecuteOutcome::kCanceled;
    case kInternalError:
      break;
  }
  return ExecuteOutcome::kError;
}

ExecuteOutcome outcome_of(const Error& error) {
  if (error.reason == "CALLER_GONE") return ExecuteOutcome::kCanceled;
  if (error.reason == "NODES_BUSY" || error.reason == "TOO_MANY_CALLS")
    return ExecuteOutcome::kBusy;
  return error.reason == "NO_NODE" ? ExecuteOutcome::kNoNode : ExecuteOutcome::kError;
}

void ExecuteMetrics::count(ExecuteOutcome outcome) { ++outcomes_.at(static_cast<size_t>(outcome)); }

void ExecuteMetrics::count_run(bool warm, Millis took) {
  ++(warm ? warm_ : cold_);
  took_.add(took);
}

std::string ExecuteMetrics::text(const calls::Load& load) const {
  constexpr const char* kTotal = "paddock_execute_total";
  constexpr const char* kStarts = "paddock_execute_starts_total";
  std::string out = metric_type(kTotal, "counter", "requests to run code by what became of them");
  for (size_t i = 0; i < kOutcomes; ++i)
    out += metric_line(kTotal, "outcome", kOutcomeNames.at(i), outcomes_.at(i).load());
  out += metric_type(kStarts, "counter", "code that ran, by whether an interpreter waited for it");
  out += metric_line(kStarts, "start", "warm", warm_.load());
  out += metric_line(kStarts, "start", "cold", cold_.load());
  out += metric_type(kExecuteSeconds, "histogram",
                     "from the arrival of code that ran to its answer, in seconds");
  out += took_.text(kExecuteSeconds);
  out += gauge("paddock_execute_running", "code that nodes have now", load.running);
  out += gauge("paddock_execute_waiting", "requests that wait for a place", load.waiting);
  out += gauge("paddock_execute_places", "how many nodes take at once", load.places);
  return out;
}

}  // namespace paddock::api
