#include "tests/simulation/agent_model.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::simulation {

using contracts::RunPhase;

std::string attempt_key(const std::string& run_uid, int64_t attempt) {
  return cat(run_uid, "/", attempt);
}

AgentModel::AgentModel(std::string name, contracts::NodeStatus host, Random& random)
    : name_(std::move(name)), host_(std::move(host)), random_(random) {}

void AgentModel::start(int64_t now_ms) {
  up_ = true;
  session_ = make_suffix(random_, 12);
  generation_ = std::max(generation_ + 1, now_ms);
  told_status_ = false;
  known_version_.clear();
}

void AgentModel::work() {
  for (auto& [uid, run] : spool_) {
    if (!run.started || run.ended) continue;
    if (run.lines_left == 0) {
      run.ended = true;
      run.how = random_.below(4) == 0 ? RunPhase::kFailed : RunPhase::kSucceeded;
      continue;
    }
    run.lines.push_back(cat(name_, " ", attempt_key(uid, run.attempt), " line ", run.lines.size()));
    written_[attempt_key(uid, run.attempt)].push_back(run.lines.back());
    --run.lines_left;
  }
}

contracts::SyncRequest AgentModel::observe(int64_t wall_ms) {
  contracts::SyncRequest request;
  request.session = session_;
  request.generation = generation_;
  if (!told_status_) request.status = host_;
  request.known_version = known_version_;
  for (const auto& [uid, run] : spool_) {
    contracts::RunReport report;
    report.run_uid = uid;
    report.attempt = run.attempt;
    report.phase = run.started ? RunPhase::kRunning : RunPhase::kPreparing;
    const auto end = std::min<int64_t>(static_cast<int64_t>(run.lines.size()), run.acked + 5);
    for (int64_t seq = run.acked + 1; seq <= end; ++seq) {
      report.output.push_back(
          {seq, wall_ms, "stdout", base64(run.lines[static_cast<size_t>(seq - 1)])});
    }
    if (run.ended && end == static_cast<int64_t>(run.lines.size())) {
      report.outcome.emplace().phase = run.how;
    }
    request.runs.push_back(std::move(report));
  }
  return request;
}

void AgentModel::begin(const contracts::Assignment& assignment) {
  SpooledRun& run = spool_[assignment.run_uid];
  if (run.attempt != assignment.attempt) {
    run = {};
    run.attempt = assignment.attempt;
    run.lines_left = static_cast<int64_t>(random_.below(12));
  }
  run.acked = std::max(run.acked, assignment.output_acked);
  if (assignment.desired == contracts::DesiredState::kCancel && !run.ended) {
    run.ended = true;
    run.how = RunPhase::kCanceled;
  }
  if (!run.started && !run.ended && random_.below(2) == 0) {
    run.started = true;
    ++starts_[attempt_key(assignment.run_uid, assignment.attempt)];
  }
}

void AgentModel::receive(const contracts::SyncAnswer& answer) {
  told_status_ = true;
  known_version_ = answer.version;
  std::set<std::string> wanted;
  for (const contracts::Assignment& assignment : answer.runs) {
    wanted.insert(assignment.run_uid);
    begin(assignment);
  }
  std::erase_if(spool_, [&](const auto& entry) { return !wanted.contains(entry.first); });
}

}  // namespace paddock::simulation
