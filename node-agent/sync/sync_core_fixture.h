// For this module's tests: a sync core, a controller whose answers a test gives line by line, and
// output of any length.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sync/sync_core.h"

namespace paddock::sync {

// Every run has as much output as is asked for; each chunk holds `chunk_bytes`.
class FakeOutput : public OutputReader {
 public:
  std::map<RunKey, int64_t> last;
  size_t chunk_bytes = 100;
  std::vector<contracts::OutputChunk> read(const RunKey& key, int64_t after,
                                           size_t max_bytes) override {
    std::vector<contracts::OutputChunk> out;
    size_t used = 0;
    for (int64_t seq = after + 1; seq <= last[key] && (out.empty() || used < max_bytes); ++seq) {
      out.push_back({.seq = seq,
                     .time_ms = seq,
                     .stream = "stdout",
                     .data = base64(std::string(chunk_bytes, 'x'))});
      used += chunk_bytes;
    }
    return out;
  }
};

class Core : public testing::Test {
 protected:
  Core() { core.set_status({}); }

  static contracts::Assignment assignment(const std::string& uid, int64_t attempt = 1,
                                          int64_t acked = 0) {
    contracts::Assignment out;
    out.run_uid = uid;
    out.attempt = attempt;
    out.output_acked = acked;
    return out;
  }
  static contracts::Assignment cancel(const std::string& uid, int64_t attempt = 1) {
    contracts::Assignment out = assignment(uid, attempt);
    out.desired = contracts::DesiredState::kCancel;
    return out;
  }
  contracts::SyncAnswer says(std::vector<contracts::Assignment> runs) {
    return {.version = std::to_string(++version), .runs = std::move(runs)};
  }
  Call report() { return begin(Lane::kReport); }
  Call hold() { return begin(Lane::kHold); }
  Call begin(Lane lane) {
    if (lane == Lane::kHold) return core.begin(lane, clock.mono());
    return core.begin(lane, clock.mono(), read_output(core.wanted_output(), output));
  }
  std::vector<Action> answer(const Call& call, const contracts::SyncAnswer& said) {
    return core.answered(call, said, clock.mono(), random);
  }
  std::vector<Action> exchange(std::vector<contracts::Assignment> runs) {
    return answer(report(), says(std::move(runs)));
  }
  void observe(const std::string& uid, contracts::RunPhase phase, int64_t last_seq = 0,
               bool ended = false, int64_t attempt = 1) {
    contracts::RunReport seen{.run_uid = uid, .attempt = attempt, .phase = phase};
    if (ended) seen.outcome = contracts::RunOutcome{.phase = contracts::RunPhase::kSucceeded};
    output.last[{uid, attempt}] = last_seq;
    core.observe(seen, last_seq);
  }
  static std::string text(const Action& action) {
    if (const auto* start = std::get_if<StartRun>(&action)) {
      return cat("start ", start->assignment.run_uid, "/", start->assignment.attempt);
    }
    if (const auto* stop = std::get_if<CancelRun>(&action)) {
      return cat(stop->kill_now ? "kill " : "cancel ", stop->key.uid, "/", stop->key.attempt);
    }
    const RunKey& key = std::get<ForgetRun>(action).key;
    return cat("forget ", key.uid, "/", key.attempt);
  }
  static std::vector<std::string> texts(const std::vector<Action>& actions) {
    std::vector<std::string> out;
    for (const Action& each : actions) out.push_back(text(each));
    return out;
  }

  ManualClock clock;
  SeededRandom random{7};
  FakeOutput output;
  SyncCore core{"process-1", 1, {{"rack", "a"}}};
  int version = 0;
};

}  // namespace paddock::sync
