#include "node-agent/sync/sync_loop.h"

#include <algorithm>
#include <thread>

#include "common/base/crash_point.h"
#include "common/base/log.h"

namespace paddock::sync {
namespace {

constexpr Millis kIdleWait{60'000};  // between looks when nothing wakes a lane
constexpr Millis kGather{5};         // after a report

// News that nobody waits for is gathered for a moment, so that a short run is reported in one or
// two calls and not in one for each line.
MonoTime unhurried(const SyncCore& core, Lane lane, MonoTime gathered) {
  return lane == Lane::kReport ? std::max(gathered, core.not_before(lane)) : core.not_before(lane);
}

bool ready(const SyncCore& core, Lane lane, MonoTime now, MonoTime gathered) {
  if (lane == Lane::kHold) return core.established() && now >= core.not_before(lane);
  if (core.has_urgent_news()) return now >= core.not_before(lane);
  return core.has_news() && now >= unhurried(core, lane, gathered);
}

// How long a lane may sleep if nobody wakes it: until nothing holds it back.
Millis sleep_for(const SyncCore& core, Lane lane, MonoTime now, MonoTime gathered) {
  const Millis left = unhurried(core, lane, gathered) - now;
  return left > Millis(0) ? std::min(left, kIdleWait) : kIdleWait;
}

// Whether `later` says all that `before` does: each answer repeats what is not done yet.
bool replaces(const Action& later, const Action& before) {
  if (later.index() != before.index()) return false;
  if (const auto* input = std::get_if<GiveInput>(&later))
    return input->key == std::get<GiveInput>(before).key;
  return std::holds_alternative<KeepSessions>(later);
}

void put_behind(std::deque<Action>& actions, Action action) {
  std::erase_if(actions, [&](const Action& each) { return replaces(action, each); });
  actions.push_back(std::move(action));
}

}  // namespace

SyncLoop::SyncLoop(SyncCore core, OutputReader& output, const Clock& clock, Random& random,
                   std::function<void(const Action&)> act)
    : output_(output),
      clock_(clock),
      random_(random),
      act_(std::move(act)),
      state_(State{.core = std::move(core), .actions = {}, .stopping = false, .ended = {}}) {}

Ended SyncLoop::run(SyncPort& report, SyncPort& hold) {
  const bool stopping = state_.with([](State& state) {
    state.ended.reset();
    return state.stopping;
  });
  if (stopping) return {};
  ports_.with([&](auto& ports) { ports = {&report, &hold}; });
  std::thread held([this, &hold] { lane(Lane::kHold, hold); });
  std::thread acting([this] { perform(); });
  lane(Lane::kReport, report);
  hold.abort();
  held.join();
  acting.join();
  ports_.with([](auto& ports) { ports.clear(); });
  return state_.with([](State& state) { return state.ended.value_or(Ended{}); });
}

void SyncLoop::stop() {
  state_.with([](State& state) { state.stopping = true; });
  changed_.notify_all();
  ports_.with([](auto& ports) {
    for (SyncPort* port : ports) port->abort();
  });
}

Status SyncLoop::take_leave(SyncPort& port, const std::set<RunKey>& begun) {
  const Call last =
      state_.with([&](State& state) { return state.core.farewell(clock_.mono(), begun); });
  const auto answer = port.synchronize(last.request);
  return answer.ok() ? Status() : Status(answer.error());
}

void SyncLoop::set_usage(contracts::UsageReport usage) {
  state_.with([&](State& state) { state.core.set_usage(std::move(usage)); });
}

void SyncLoop::observe(const contracts::RunReport& report, int64_t last_seq) {
  state_.with([&](State& state) { state.core.observe(report, last_seq); });
  changed_.notify_all();
}

void SyncLoop::set_status(contracts::NodeStatus status) {
  state_.with([&](State& state) { state.core.set_status(std::move(status)); });
  changed_.notify_all();
}

void SyncLoop::lane(Lane lane, SyncPort& port) {
  while (const std::optional<Call> call = next_call(lane)) {
    const auto answer = port.synchronize(call->request);
    PADDOCK_CRASH_POINT("controller-answered");
    settle(*call, answer);
  }
}

std::optional<Call> SyncLoop::next_call(Lane lane) {
  while (true) {
    const Millis limit = state_.with(
        [&](State& state) { return sleep_for(state.core, lane, clock_.mono(), state.gathered); });
    std::optional<Call> call;
    const bool over = state_.wait_for(
        changed_, limit,
        [&](State& state) {
          return state.over() || ready(state.core, lane, clock_.mono(), state.gathered);
        },
        [&](State& state, bool in_time) {
          if (in_time && !state.over()) call = state.core.begin(lane, clock_.mono(), output_);
          return state.over();
        });
    if (over) return std::nullopt;
    if (call) return call;
  }
}

void SyncLoop::settle(const Call& call, const Result<contracts::SyncAnswer>& answer) {
  state_.with([&](State& state) {
    if (state.over()) return;  // aborted by us
    if (call.lane == Lane::kReport) state.gathered = clock_.mono() + kGather;
    if (answer) {
      for (Action& each : state.core.answered(call, *answer, clock_.mono(), random_))
        put_behind(state.actions, std::move(each));
      return;
    }
    const FailureDecision decision =
        state.core.failed(call, answer.error(), clock_.mono(), random_);
    if (decision.verdict != Verdict::kRetry) state.ended = Ended{decision.verdict, decision.error};
    log_warn("the controller did not take a call", {{"error", answer.error().describe()}});
  });
  changed_.notify_all();
}

void SyncLoop::perform() {
  while (true) {
    std::optional<Action> next;
    const bool over = state_.wait_for(
        changed_, kIdleWait, [](State& state) { return state.over() || !state.actions.empty(); },
        [&](State& state, bool in_time) {
          if (in_time && !state.over()) {
            next = std::move(state.actions.front());
            state.actions.pop_front();
          }
          return state.over();
        });
    if (over) return;
    if (!next) continue;
    PADDOCK_CRASH_POINT("actions-known");
    act_(*next);
  }
}

}  // namespace paddock::sync
