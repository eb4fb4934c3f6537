// For tests: a table of calls with nodes that ask it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/calls/call_table.h"

namespace paddock::calls {

using contracts::CallAnswer;
using contracts::CallsAnswer;
using contracts::CallsRequest;

class Calls : public testing::Test {
 protected:
  LaneKey lane(int64_t number, std::string process = "process-1") {
    return {"node-1", std::move(process), number};
  }
  CallsRequest request(const LaneKey& lane, std::optional<CallAnswer> answer = {}) {
    CallsRequest out;
    out.process = lane.process;
    out.generation = lane.process == "process-1" ? 1 : 2;
    out.lane = lane.lane;
    out.answer = std::move(answer);
    return out;
  }
  // The lane asks, and waits.
  Status open(const LaneKey& lane, std::optional<CallAnswer> answer = {}) {
    TRY(table_.open(lane, request(lane, std::move(answer)), wakes_));
    table_.set_eligible(lane, true, wakes_);
    return {};
  }
  // What it is told, if it is told something now.
  std::optional<CallsAnswer> told(const LaneKey& lane) {
    auto out = table_.poll(lane);
    if (out) table_.close(lane, CallTable::RequestEnd::kAnswered, now_, wakes_);
    return out;
  }
  Status submit(const CallId& id, std::string caller = {}) {
    return table_.submit(id, {"snippet", id, 1, {}, std::move(caller)}, now_, wakes_);
  }
  Status submit_to(const std::string& node, const CallId& id) {
    return table_.submit(id, {"k", id, 1, node}, now_, wakes_);
  }
  std::string outcome(const CallId& id) {
    const auto out = table_.take_outcome(id, now_);
    if (!out) return "waits";
    return out->ok() ? *(**out).string() : out->error().reason.str();
  }
  static CallAnswer done(const CallId& id) { return {id, cat("did ", id), std::nullopt}; }

  CallTable table_;
  MonoTime now_{};
  Wakes wakes_;
};

}  // namespace paddock::calls
