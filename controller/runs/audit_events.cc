#include "controller/runs/audit_events.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/limit_field.h"
#include "common/wire/json.h"

namespace paddock::runs {
namespace {

using contracts::AuditEvent;
using contracts::Run;
using contracts::RunEvent;
using contracts::RunPhase;
using contracts::SandboxResult;
using contracts::SandboxStatus;
namespace audit = contracts::audit;

constexpr size_t kMostDenials = 32;  // of one command; the rest is counted

class Trail {
 public:
  explicit Trail(AuditEvent base) : base_(std::move(base)) {}

  AuditEvent& add(std::string_view type, int64_t time_ms) {
    AuditEvent event = base_;
    event.time = {WallTime{time_ms}};
    event.type = type;
    return events_.emplace_back(std::move(event));
  }
  std::vector<AuditEvent> take() { return std::move(events_); }

 private:
  AuditEvent base_;
  std::vector<AuditEvent> events_;
};

AuditEvent base_of(const Run& run) {
  AuditEvent event;
  if (!run.status.node_name.empty()) event.subject = "node:" + run.status.node_name;
  event.name_space = run.metadata.name_space;
  event.object = "runs/" + run.metadata.name;
  event.session_id = run.metadata.uid;
  event.command_id = cat(run.metadata.uid, "/", run.status.attempt);
  return event;
}

void add_start(Trail& trail, const Run& run, int64_t time_ms) {
  AuditEvent& start = trail.add(audit::kCommandStart, time_ms);
  start.details["command"] = contracts::audit_text(contracts::command_text(run.spec));
}

void add_denials(Trail& trail, const SandboxResult& result, int64_t time_ms) {
  const size_t told = std::min(result.denials.size(), kMostDenials);
  for (size_t i = 0; i < told; ++i) {
    const contracts::Denial& denial = result.denials[i];
    AuditEvent& event = trail.add(audit::kCapabilityDenied, time_ms);
    event.reason = Reason("E_CAPABILITY_DENIED");
    event.details = {{"what", contracts::audit_text(denial.what)},
                     {"target", contracts::audit_text(denial.target)},
                     {"executable", contracts::audit_text(denial.executable)},
                     {"rule", contracts::audit_text(denial.rule)},
                     {"count", std::to_string(denial.count)}};
  }
  if (told == result.denials.size()) return;
  AuditEvent& rest = trail.add(audit::kCapabilityDenied, time_ms);
  rest.reason = Reason("MORE_DENIALS");
  rest.details["count"] = std::to_string(result.denials.size() - told);
}

void add_limit(Trail& trail, std::string_view reason, std::string_view limit, int64_t time_ms) {
  AuditEvent& event = trail.add(audit::kLimitExceeded, time_ms);
  event.reason = reason;
  event.details["limit"] = limit;
}

// Says how a run's output was cut. The log's limits are those of the policy; the output in a result
// is only an excerpt.
contracts::Truncated cut_of(const Run& run, const SandboxResult& result) {
  if (!run.status.policy) return {};
  return contracts::cut_by_limit(run.status.policy->limits, result.usage);
}

void add_limits(Trail& trail, const SandboxResult& result, const contracts::Truncated& cut,
                int64_t time_ms) {
  constexpr std::string_view kPrefix = "E_LIMIT_";
  constexpr Reason kOutputCut = "E_LIMIT_OUTPUT";
  const bool by_stream = result.code == kOutputCut && (cut.out || cut.err);
  if (result.code && result.code->starts_with(kPrefix) && !by_stream)
    add_limit(trail, *result.code, ascii_lower(result.code->substr(kPrefix.size())), time_ms);
  if (cut.out) add_limit(trail, kOutputCut, "stdout", time_ms);
  if (cut.err) add_limit(trail, kOutputCut, "stderr", time_ms);
}

std::string_view end_type(const SandboxResult& result) {
  if (result.status == SandboxStatus::kTimeout) return audit::kCommandTimeout;
  if (result.status == SandboxStatus::kCanceled) return audit::kCommandCancelled;
  return audit::kCommandComplete;
}

std::string_view end_type(const Run& run) {
  const contracts::RunStatus& status = run.status;
  if (status.result) return end_type(*status.result);
  if (status.started_at) return audit::kCommandLost;
  return status.phase == RunPhase::kCanceled ? audit::kCommandCancelled : audit::kCommandRefused;
}

void add_end(Trail& trail, std::string_view type, const std::string& reason,
             const SandboxResult* result, const contracts::Truncated& cut, int64_t time_ms) {
  if (result != nullptr) {
    add_denials(trail, *result, time_ms);
    add_limits(trail, *result, cut, time_ms);
  }
  AuditEvent& end = trail.add(type, time_ms);
  end.reason = reason;
  if (result == nullptr) return;
  if (end.reason.empty()) end.reason = wire::enum_name(result->status);
  end.details = {{"status", std::string(wire::enum_name(result->status))},
                 {"rc", std::to_string(result->rc)},
                 {"durationMs", std::to_string(result->duration_ms)}};
}

}  // namespace

std::vector<AuditEvent> end_events(const AuditEvent& base, const SandboxResult& result) {
  Trail trail(base);
  add_end(trail, end_type(result), "", &result, result.truncated, base.time.value.ms);
  return trail.take();
}

std::vector<AuditEvent> audit_events(const Run& run, const Events& events) {
  Trail trail(base_of(run));
  if (contracts::is_array(run.spec)) return trail.take();  // its elements have a command
  for (const RunEvent& event : events) {
    if (event.type == contracts::kEventEnd) {
      const auto& result = run.status.result;
      add_end(trail, end_type(run), run.status.reason, result ? &*result : nullptr,
              result ? cut_of(run, *result) : contracts::Truncated(), event.time_ms);
      continue;
    }
    if (event.type != contracts::kEventPhase) continue;
    const auto data = wire::parse_json(event.data);
    const std::string phase = data ? data->text("phase") : std::string();
    // A run that is asked to end stays in its phase, with a reason: that event is not its start.
    const bool starts =
        phase == wire::enum_name(RunPhase::kRunning) && data->text("reason").empty();
    if (starts) add_start(trail, run, event.time_ms);
    if (phase == wire::enum_name(RunPhase::kPending) && data->text("reason") == kRetry) {
      AuditEvent& lost = trail.add(audit::kCommandLost, event.time_ms);
      lost.reason = kRetry;
      lost.details["message"] = contracts::audit_text(data->text("message"));
    }
  }
  return trail.take();
}

}  // namespace paddock::runs
