#include "node-agent/sync/sync_core.h"

#include <algorithm>
#include <utility>

#include "common/http/http_client.h"
#include "common/wire/describe.h"
#include "node-agent/sync/outcome_bound.h"

namespace paddock::sync {
namespace {

using contracts::Assignment;
using contracts::DesiredState;
using contracts::RunOutcome;
using contracts::RunPhase;
using contracts::RunReport;

constexpr size_t kMaxForgotten = 10'000;
constexpr size_t kMinOutputBytes = 16 << 10;
constexpr size_t kMinOutcomeBytes = 256 << 10;
constexpr Millis kTooFast{
    20};  // an answer to a held call that came back unchanged sooner than this

int rank(RunPhase phase) { return static_cast<int>(phase); }

// Everything but output and outcome, which have their own acknowledgement.
bool same_observation(const RunReport& a, const RunReport& b) {
  return a.phase == b.phase && a.message == b.message && a.started_at == b.started_at &&
         a.timings_ms == b.timings_ms && a.input_acked == b.input_acked &&
         a.stdin_closed == b.stdin_closed;
}

RunReport without_payload(const RunReport& report) {
  RunReport out = report;
  out.output.clear();
  out.outcome.reset();
  return out;
}

bool carries_output(const contracts::SyncRequest& request) {
  return std::ranges::any_of(request.runs,
                             [](const RunReport& run) { return !run.output.empty(); });
}

bool carries_outcome(const contracts::SyncRequest& request) {
  return std::ranges::any_of(request.runs,
                             [](const RunReport& run) { return run.outcome.has_value(); });
}

bool carries_payload(const contracts::SyncRequest& request) {
  return carries_output(request) || carries_outcome(request);
}

RunKey key_of(const Assignment& assignment) { return {assignment.run_uid, assignment.attempt}; }

// One assignment per run: the newest attempt.
std::map<std::string, const Assignment*> newest(const contracts::SyncAnswer& answer) {
  std::map<std::string, const Assignment*> out;
  for (const Assignment& each : answer.runs) {
    const Assignment*& slot = out[each.run_uid];
    if (slot == nullptr || each.attempt > slot->attempt) slot = &each;
  }
  return out;
}

}  // namespace

int64_t next_generation(int64_t last, WallTime now) { return std::max(last + 1, now.ms); }

SyncCore::SyncCore(std::string process, int64_t generation,
                   std::map<std::string, std::string> labels, CallLimits limits)
    : process_(std::move(process)),
      generation_(generation),
      labels_(std::move(labels)),
      limits_(limits) {}

void SyncCore::set_status(contracts::NodeStatus status) {
  if (status_ && wire::encode(*status_) == wire::encode(status)) return;
  status_ = std::move(status);
  ++status_version_;
}

void SyncCore::observe(const RunReport& report, int64_t last_seq) {
  const RunKey key{report.run_uid, report.attempt};
  if (forgotten_.contains(key)) return;
  LocalRun& run = runs_[key];
  run.last_seq = std::max(run.last_seq, last_seq);
  const bool first = run.seen.run_uid.empty();
  if (first || rank(report.phase) >= rank(run.seen.phase)) {
    auto outcome = std::move(run.seen.outcome);
    run.seen = without_payload(report);
    run.seen.outcome = std::move(outcome);
  }
  if (report.outcome && !run.seen.outcome) run.seen.outcome = report.outcome;
}

bool SyncCore::has_news(const LocalRun& run) const {
  return run.last_seq > run.acked || run.seen.outcome.has_value() ||
         !same_observation(run.seen, run.told);
}

bool SyncCore::has_news() const {
  if (status_told_ != status_version_ || !established()) return true;
  return std::any_of(runs_.begin(), runs_.end(),
                     [this](const auto& each) { return has_news(each.second); });
}

bool SyncCore::has_urgent_news() const {
  return !established() || std::any_of(runs_.begin(), runs_.end(), [](const auto& each) {
    return each.second.seen.outcome.has_value();
  });
}

bool SyncCore::has_news_but_output() const {
  if (status_told_ != status_version_ || !established()) return true;
  return std::any_of(runs_.begin(), runs_.end(), [](const auto& each) {
    const LocalRun& run = each.second;
    const bool can_end = run.seen.outcome && run.assigned && run.last_seq <= run.acked;
    return can_end || !same_observation(run.seen, run.told);
  });
}

MonoTime SyncCore::not_before(Lane lane) const {
  const auto found = not_before_.find(lane);
  return found == not_before_.end() ? MonoTime{} : found->second;
}

Call SyncCore::begin(Lane lane, MonoTime now, std::vector<OutputRead> output) {
  Call call{.lane = lane, .request = {}, .based_on = applied_, .began = now};
  contracts::SyncRequest& request = call.request;
  request.process = process_;
  request.generation = generation_;
  request.labels = labels_;
  request.usage = std::exchange(usage_, {});
  for (const auto& [key, run] : runs_) request.runs.push_back(without_payload(run.seen));
  if (lane == Lane::kHold) {
    request.known_version = known_version_;
    request.wait_ms = std::min<int64_t>(limits_.hold.count(), lease_ms_ * 2 / 3);
    return call;
  }
  if (status_told_ != status_version_) request.status = status_;
  // Only the first answer to this process tells what the controller has already, so nothing is sent
  // before.
  if (established()) {
    add_output(request, std::move(output));
    add_outcomes(request);
  }
  return call;
}

Call SyncCore::farewell(MonoTime now, const std::optional<std::set<RunKey>>& begun) {
  Call call{.lane = Lane::kReport, .request = {}, .based_on = applied_, .began = now};
  call.request.process = process_;
  call.request.generation = generation_;
  call.request.labels = labels_;
  call.request.leaving = true;
  for (const auto& [key, run] : runs_) {
    if (!begun || begun->contains(key)) call.request.runs.push_back(without_payload(run.seen));
  }
  return call;
}

bool SyncCore::wants_output() const {
  return established() && std::any_of(runs_.begin(), runs_.end(),
                                      [](const auto& each) { return wants_output(each.second); });
}

// A chatty run must not starve the others: each call starts behind the run that was served last.
OutputWanted SyncCore::wanted_output() const {
  OutputWanted wanted{.places = {}, .max_bytes = limits_.output_bytes};
  if (!established()) return wanted;
  for (const auto& [key, run] : runs_) {
    if (wants_output(run)) wanted.places.push_back({key, run.acked});
  }
  std::stable_partition(wanted.places.begin(), wanted.places.end(),
                        [this](const auto& place) { return place.key.uid > served_last_; });
  return wanted;
}

std::vector<OutputRead> read_output(const OutputWanted& wanted, OutputReader& output) {
  std::vector<OutputRead> read;
  size_t left = wanted.max_bytes;
  for (const OutputWanted::Place& place : wanted.places) {
    if (left == 0) break;
    read.push_back({place.key, output.read(place.key, place.after, left)});
    for (const auto& chunk : read.back().chunks) left -= std::min(left, chunk.data.size() / 4 * 3);
  }
  return read;
}

// While it was read, some of it may have been acknowledged, or less than before.
void SyncCore::add_output(contracts::SyncRequest& request, std::vector<OutputRead> output) {
  for (OutputRead& read : output) {
    const auto found = runs_.find(read.key);
    if (found == runs_.end() || !found->second.assigned) continue;
    served_last_ = read.key.uid;
    const int64_t acked = found->second.acked;
    std::erase_if(read.chunks, [acked](const auto& chunk) { return chunk.seq <= acked; });
    if (read.chunks.empty() || read.chunks.front().seq != acked + 1) continue;
    const auto report = std::ranges::find_if(request.runs, [&](const RunReport& each) {
      return each.run_uid == read.key.uid && each.attempt == read.key.attempt;
    });
    report->output = std::move(read.chunks);
  }
}

// An outcome travels only with or after the last of its output.
void SyncCore::add_outcomes(contracts::SyncRequest& request) const {
  size_t used = 0;
  for (RunReport& report : request.runs) {
    const LocalRun& run = runs_.at({report.run_uid, report.attempt});
    if (!run.seen.outcome || !run.assigned) continue;
    const int64_t reached = report.output.empty() ? run.acked : report.output.back().seq;
    if (reached < run.last_seq) continue;
    BoundedOutcome bounded = cut_to(limits_.one_outcome_bytes, *run.seen.outcome);
    if (used > 0 && used + bounded.bytes > limits_.outcome_bytes) continue;
    used += bounded.bytes;
    report.outcome = std::move(bounded.outcome);
  }
}

std::vector<Action> SyncCore::answered(const Call& call, const contracts::SyncAnswer& answer,
                                       MonoTime now, Random& random) {
  const bool fresh = call.based_on == applied_;
  const bool unchanged = fresh && call.lane == Lane::kHold && established() &&
                         answer.version == call.request.known_version;
  if (call.request.status) {
    if (status_ && wire::encode(*status_) == wire::encode(*call.request.status)) {
      status_told_ = status_version_;
    }
  }
  bool progress = take_acknowledgements(call, answer);
  std::vector<Action> actions;
  if (fresh) {
    ++applied_;
    lease_ms_ = std::max<int64_t>(answer.lease_ms, 1'000);
    known_version_ = answer.version;
    actions = reconcile(answer);
    progress = progress || !actions.empty();
  }
  // A peer that answers without taking what was sent, or at once without news, is not hammered.
  const bool stalled = call.lane == Lane::kReport
                           ? carries_payload(call.request) && fresh && !progress
                           : unchanged && now - call.began < kTooFast;
  int& failures = failures_[call.lane];
  failures = stalled ? failures + 1 : 0;
  not_before_[call.lane] = stalled ? now + backoff(failures, random, limits_.servers) : now;
  return actions;
}

// True if anything that was sent is now known to be stored.
bool SyncCore::take_acknowledgements(const Call& call, const contracts::SyncAnswer& answer) {
  bool progress = false;
  for (const RunReport& sent : call.request.runs) {
    const auto found = runs_.find({sent.run_uid, sent.attempt});
    if (found != runs_.end()) found->second.told = without_payload(sent);
  }
  for (const Assignment& each : answer.runs) {
    const auto found = runs_.find(key_of(each));
    if (found == runs_.end()) continue;
    LocalRun& run = found->second;
    const int64_t acked = std::min(each.output_acked, run.last_seq);
    if (acked > run.acked) progress = true;
    // A fresh answer is the truth even where it is lower: a restored store may have lost output.
    run.acked = call.based_on == applied_ ? acked : std::max(run.acked, acked);
  }
  return progress;
}

std::vector<Action> SyncCore::reconcile(const contracts::SyncAnswer& answer) {
  std::vector<Action> actions;
  const auto wanted = newest(answer);
  for (const RunKey& key : held()) {
    const auto found = wanted.find(key.uid);
    if (found == wanted.end() || found->second->attempt > key.attempt) forget(key, actions);
  }
  for (const auto& [uid, assignment] : wanted) accept(*assignment, actions);
  // A controller that does not speak of sessions ends none.
  if (answer.sessions) actions.push_back(KeepSessions{*answer.sessions});
  return actions;
}

void SyncCore::accept(const Assignment& wanted, std::vector<Action>& actions) {
  const RunKey key = key_of(wanted);
  const auto newer = runs_.upper_bound(key);
  if (newer != runs_.end() && newer->first.uid == key.uid)
    return;  // an older attempt than the one held
  const bool is_new = !runs_.contains(key);
  LocalRun& run = runs_[key];
  if (is_new) {
    run.seen.run_uid = key.uid;
    run.seen.attempt = key.attempt;
    run.seen.phase = RunPhase::kScheduled;
    run.told = run.seen;
    if (forgotten_.contains(key)) {
      // Asked for again after it was dropped. It may have run: it is never run twice.
      run.seen.outcome =
          RunOutcome{.phase = RunPhase::kFailed,
                     .reason = Reason("ATTEMPT_REPEATED"),
                     .message = "the node had already ended and dropped this attempt"};
    } else {
      actions.push_back(StartRun{wanted});
    }
  }
  run.assigned = true;
  const bool unwritten =
      !wanted.inputs.empty() && wanted.inputs.back().seq > run.seen.input_acked.value_or(0);
  if (unwritten && !run.seen.outcome) actions.push_back(GiveInput{key, wanted.inputs});
  if (wanted.desired != DesiredState::kCancel) return;
  const bool kill_now = wanted.kill_now.value_or(false);
  const bool passed_on = kill_now ? run.kill_passed_on : run.cancel_passed_on;
  run.cancel_passed_on = true;
  run.kill_passed_on |= kill_now;
  if (!passed_on && !is_new && !run.seen.outcome) actions.push_back(CancelRun{key, kill_now});
}

void SyncCore::forget(const RunKey& key, std::vector<Action>& actions) {
  runs_.erase(key);
  if (forgotten_.insert(key).second) forgotten_order_.push_back(key);
  if (forgotten_order_.size() > kMaxForgotten) {
    forgotten_.erase(forgotten_order_.front());
    forgotten_order_.pop_front();
  }
  actions.push_back(ForgetRun{key});
}

// Sends less of the output next time, as long as there is any to leave for later: all of it is sent
// in the end. After that, it sends less of the outcomes.
void SyncCore::send_less(const contracts::SyncRequest& refused) {
  const auto halve = [](size_t& bytes, size_t least) { bytes = std::max(least, bytes / 2); };
  if (!carries_outcome(refused) ||
      (carries_output(refused) && limits_.output_bytes > kMinOutputBytes))
    return halve(limits_.output_bytes, kMinOutputBytes);
  halve(limits_.outcome_bytes, kMinOutcomeBytes);
  halve(limits_.one_outcome_bytes, kMinOutcomeBytes);
}

FailureDecision SyncCore::failed(const Call& call, const Error& error, MonoTime now,
                                 Random& random) {
  const int failures = ++failures_[call.lane];
  not_before_[call.lane] = now + backoff(failures, random, limits_.servers);
  if (error.reason == "SESSION_SUPERSEDED") return {Verdict::kStop, error};
  if (error.code == Code::kTooLarge) send_less(call.request);
  const bool unknown_here = error.code == Code::kUnauthenticated && !http::is_peer_unproven(error);
  return {unknown_here ? Verdict::kEnroll : Verdict::kRetry, error};
}

std::vector<RunKey> SyncCore::held() const {
  std::vector<RunKey> out;
  for (const auto& [key, run] : runs_) out.push_back(key);
  return out;
}

}  // namespace paddock::sync
