#include "controller/runs/measures.h"

#include <algorithm>

#include "common/contracts/denial_rule.h"
#include "common/wire/json.h"

namespace paddock::runs {
namespace {

using contracts::Run;
using contracts::RunEvent;
using contracts::RunPhase;

constexpr int64_t kMostCounted = 1'000'000'000;  // of one denial: a node may say anything

// The phase that the run entered. An event about a run that stays in its phase has a reason, and is
// none.
std::string entered_phase(const RunEvent& event) {
  if (event.type != contracts::kEventPhase) return "";
  const auto data = wire::parse_json(event.data);
  return data && data->text("reason").empty() ? data->text("phase") : "";
}

Millis since(const std::optional<wire::Timestamp>& start, const RunEvent& event) {
  return start ? std::max(Millis(0), WallTime{event.time_ms} - start->value) : Millis(0);
}

Millis ran_for(const Run& run) {
  return run.status.result ? Millis(std::max<int64_t>(0, run.status.result->duration_ms))
                           : Millis(0);
}

// A short command's start is reported with its end: what it ran is no part of its start.
Millis start_time(const Run& run, const RunEvent& event) {
  return std::max(Millis(0), since(run.status.scheduled_at, event) - ran_for(run));
}

void add_end(const Run& run, const RunEvent& end, Measures& out) {
  out.stages.push_back({Stage::kTotal, since(run.metadata.creation_timestamp, end)});
  if (!run.status.result) return;
  if (run.status.started_at) out.stages.push_back({Stage::kRunning, ran_for(run)});
  out.denials = denial_counts(*run.status.result);
}

}  // namespace

DenialKind denial_kind(const contracts::Denial& denial) {
  if (denial.what == contracts::kTriedToExecute) return DenialKind::kExecute;
  if (denial.what == contracts::kTriedToLookUp) return DenialKind::kName;
  return denial.what.starts_with("network") ? DenialKind::kNetwork : DenialKind::kOther;
}

DenialCounts denial_counts(const contracts::SandboxResult& result) {
  DenialCounts counts{};
  for (const contracts::Denial& each : result.denials)
    counts.at(static_cast<size_t>(denial_kind(each))) +=
        std::clamp<int64_t>(each.count, 0, kMostCounted);
  return counts;
}

Measures measures_of(const Run& run, const Events& events) {
  Measures out;
  if (contracts::is_array(run.spec)) return out;  // its elements are measured
  for (const RunEvent& event : events) {
    if (event.type == contracts::kEventEnd) add_end(run, event, out);
    const std::string entered = entered_phase(event);
    if (run.status.attempt == 1 && entered == wire::enum_name(RunPhase::kScheduled))
      out.stages.push_back({Stage::kQueued, since(run.metadata.creation_timestamp, event)});
    if (run.status.scheduled_at && entered == wire::enum_name(RunPhase::kRunning))
      out.stages.push_back({Stage::kStarting, start_time(run, event)});
  }
  return out;
}

}  // namespace paddock::runs
