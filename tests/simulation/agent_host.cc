#include "tests/simulation/agent_host.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::simulation {

namespace {

using contracts::RunPhase;
using sync::Lane;
using sync::RunKey;

constexpr size_t kOldReports = 8;

RunPhase phase_of(Stage stage) {
  return stage == Stage::kAccepted || stage == Stage::kMarked ? RunPhase::kPreparing
                                                              : RunPhase::kRunning;
}

contracts::RunReport report_of(const RunKey& key, const SpooledRun& run) {
  contracts::RunReport report;
  report.run_uid = key.uid;
  report.attempt = key.attempt;
  report.phase = phase_of(run.stage);
  if (!run.inputs.empty()) report.input_acked = static_cast<int64_t>(run.inputs.size());
  if (run.stage == Stage::kEnded) report.outcome = run.outcome;
  return report;
}

}  // namespace

std::string attempt_key(const std::string& run_uid, int64_t attempt) {
  return cat(run_uid, "/", attempt);
}

AgentHost::AgentHost(std::string name, contracts::NodeStatus status, Random& random,
                     const Tampering& tampering, uint64_t refuses)
    : name_(std::move(name)),
      status_(std::move(status)),
      random_(random),
      tampering_(tampering),
      refuses_(refuses),
      local_faults_(std::hash<std::string>{}(name_) + static_cast<uint64_t>(status_.capacity.cpu)) {
}

void AgentHost::start(WallTime now) {
  disk_.generation = sync::next_generation(disk_.generation, now);
  core_.emplace(make_suffix(random_, 12), disk_.generation, std::map<std::string, std::string>{});
  core_->set_status(status_);
  // A marker without a command behind it: nobody knows whether it ran, so it is never started.
  for (auto& [key, run] : disk_.runs) {
    if (run.stage == Stage::kMarked) end(key, RunPhase::kFailed, "LAUNCHER_LOST");
    core_->observe(report_of(key, run), static_cast<int64_t>(run.lines.size()));
  }
}

void AgentHost::crash() {
  core_.reset();
  in_flight_.clear();
  to_do_.clear();
  old_reports_.clear();
  if (tampering_.disk_after_crash) tampering_.disk_after_crash(disk_);
}

void AgentHost::work() {
  for (auto& [key, run] : disk_.runs) advance(key, run);
}

void AgentHost::advance(const RunKey& key, SpooledRun& run) {
  const std::string name = attempt_key(key.uid, key.attempt);
  switch (run.stage) {
    case Stage::kAccepted:
      if (!up()) return;
      if (run.cancel) return end(key, RunPhase::kCanceled, "");
      if (random_.below(2) == 0) run.stage = Stage::kMarked;
      return;
    case Stage::kMarked:
      if (!up()) return;
      run.stage = Stage::kStarted;
      ++witness_.starts[name];
      return;
    case Stage::kStarted:
      if (run.cancel) return end(key, RunPhase::kCanceled, "");
      if (run.lines_left-- == 0)
        return end(key, random_.below(4) == 0 ? RunPhase::kFailed : RunPhase::kSucceeded, "");
      run.lines.push_back(cat(name_, " ", name, " line ", witness_.written[name].size()));
      witness_.written[name].push_back(run.lines.back());
      return;
    case Stage::kEnded:
      return;
  }
}

void AgentHost::end(const RunKey& key, RunPhase phase, const std::string& reason) {
  SpooledRun& run = disk_.runs.at(key);
  run.stage = Stage::kEnded;
  run.outcome.phase = phase;
  run.outcome.reason = reason;
  witness_.ends[attempt_key(key.uid, key.attempt)] = run.outcome;
}

void AgentHost::observe() {
  for (const auto& [key, run] : disk_.runs) {
    if (random_.below(4) == 0) continue;
    old_reports_.emplace_back(report_of(key, run), static_cast<int64_t>(run.lines.size()));
    core_->observe(old_reports_.back().first, old_reports_.back().second);
  }
  if (old_reports_.empty()) return;
  const auto& [report, last_seq] = old_reports_[random_.below(old_reports_.size())];
  core_->observe(report, last_seq);
  while (old_reports_.size() > kOldReports) old_reports_.pop_front();
}

std::vector<contracts::OutputChunk> AgentHost::read(const RunKey& key, int64_t after,
                                                    size_t max_bytes) {
  std::vector<contracts::OutputChunk> out;
  const auto found = disk_.runs.find(key);
  if (found == disk_.runs.end() || max_bytes == 0) return out;
  const auto& lines = found->second.lines;
  const size_t most = 1 + random_.below(5);
  for (auto at = static_cast<size_t>(after); at < lines.size() && out.size() < most; ++at) {
    out.push_back({static_cast<int64_t>(at) + 1, 0, "stdout", base64(lines[at])});
  }
  return out;
}

bool AgentHost::act() {
  if (to_do_.empty()) return false;
  const sync::Action action = std::move(to_do_.front());
  to_do_.pop_front();
  for (uint64_t times = 1 + random_.below(2); times > 0; --times) {  // each is safe to repeat
    if (const auto* first = std::get_if<sync::StartRun>(&action)) begin(first->assignment);
    if (const auto* gone = std::get_if<sync::ForgetRun>(&action)) drop(gone->key);
    if (const auto* input = std::get_if<sync::GiveInput>(&action)) give(*input);
    if (const auto* cancel = std::get_if<sync::CancelRun>(&action)) {
      const auto found = disk_.runs.find(cancel->key);
      if (found != disk_.runs.end()) found->second.cancel = true;
    }
  }
  return true;
}

void AgentHost::give(const sync::GiveInput& input) {
  const auto found = disk_.runs.find(input.key);
  if (found == disk_.runs.end()) return;
  auto& there = found->second.inputs;
  for (const contracts::RunInput& each : input.inputs) {
    if (each.seq != static_cast<int64_t>(there.size()) + 1) continue;
    there.push_back(each.data);
    witness_.given[attempt_key(input.key.uid, input.key.attempt)].push_back(each.data);
  }
}

void AgentHost::begin(const contracts::Assignment& assignment) {
  const RunKey key{assignment.run_uid, assignment.attempt};
  if (!disk_.runs.contains(key) && refuse(key)) return;
  const auto [at, is_new] = disk_.runs.try_emplace(key);
  if (!is_new) return;
  at->second.lines_left = static_cast<int64_t>(random_.below(8));
  at->second.cancel = assignment.desired == contracts::DesiredState::kCancel;
}

// Its disk is full for a moment, or it has no source of the run's packages, which may be so
// everywhere: nothing of the run was begun. Said once, it is kept to.
bool AgentHost::refuse(const RunKey& key) {
  const std::string name = attempt_key(key.uid, key.attempt);
  if (!witness_.refusals.contains(name)) {
    if (refuses_ == 0 || local_faults_.below(100) >= refuses_) return false;
    const bool in_doubt = local_faults_.below(2) == 0;
    contracts::RunOutcome outcome{.phase = RunPhase::kFailed, .reason = contracts::kNodeDiskFull};
    if (in_doubt) outcome.reason = "ENVIRONMENT_UNAVAILABLE";
    if (!in_doubt) outcome.refused = true;
    witness_.refusals[name] = outcome;
  }
  contracts::RunReport report;
  report.run_uid = key.uid;
  report.attempt = key.attempt;
  report.outcome = witness_.refusals[name];
  core_->observe(report, 0);
  return true;
}

void AgentHost::drop(const RunKey& key) {
  disk_.runs.erase(key);
  witness_.dropped.push_back(key);
}

std::optional<Sent> AgentHost::call(Lane lane, MonoTime now) {
  if (in_flight_.contains(lane) || now < core_->not_before(lane)) return std::nullopt;
  const bool wanted = lane == Lane::kReport ? core_->has_news() : core_->established();
  if (!wanted) return std::nullopt;
  Sent sent{++calls_, {}};
  InFlight& slot = in_flight_[lane];
  std::vector<sync::OutputRead> output;
  if (lane == Lane::kReport) output = sync::read_output(core_->wanted_output(), *this);
  slot = {sent.id, core_->begin(lane, now, std::move(output))};
  sent.body = slot.call.request;
  if (tampering_.request) tampering_.request(sent.body);
  return sent;
}

bool AgentHost::awaits(uint64_t id) const {
  return std::any_of(in_flight_.begin(), in_flight_.end(),
                     [id](const auto& each) { return each.second.id == id; });
}

std::optional<MonoTime> AgentHost::waiting_since(Lane lane) const {
  const auto found = in_flight_.find(lane);
  return found == in_flight_.end() ? std::optional<MonoTime>() : found->second.call.began;
}

void AgentHost::answered(uint64_t id, const Result<contracts::SyncAnswer>& answer, MonoTime now) {
  for (const Lane lane : {Lane::kReport, Lane::kHold}) {
    const auto found = in_flight_.find(lane);
    if (found == in_flight_.end() || found->second.id != id) continue;
    const sync::Call call = std::move(found->second.call);
    in_flight_.erase(found);
    return settle(call, answer, now);
  }
}

void AgentHost::give_up(Lane lane, MonoTime now) {
  const auto found = in_flight_.find(lane);
  if (found == in_flight_.end()) return;
  answered(found->second.id, Error{Code::kUnavailable, "CONNECTION_BROKEN", "gone"}, now);
}

void AgentHost::settle(const sync::Call& sent, const Result<contracts::SyncAnswer>& answer,
                       MonoTime now) {
  if (!answer.ok()) {
    const auto decision = core_->failed(sent, answer.error(), now, random_);
    if (decision.verdict != sync::Verdict::kRetry) crash();
    return;
  }
  sync::Call call = sent;
  contracts::SyncAnswer said = *answer;
  if (tampering_.call_before_answer) tampering_.call_before_answer(call, *core_);
  if (tampering_.answer) tampering_.answer(said);
  for (sync::Action& each : core_->answered(call, said, now, random_)) {
    if (std::holds_alternative<sync::KeepSessions>(each)) continue;  // none lives here
    to_do_.push_back(std::move(each));
  }
}

}  // namespace paddock::simulation
