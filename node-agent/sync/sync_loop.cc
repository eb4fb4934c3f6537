#include "node-agent/sync/sync_loop.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/base/start_thread.h"

namespace paddock::sync {
namespace {

constexpr Millis kIdleWait{60'000};   // between looks when nothing wakes a lane
constexpr Millis kGather{5};          // after a report
constexpr Millis kDiskPatience{250};  // of a report, with the reading of output that could go along

// News that nobody waits for is gathered for a moment, so that a short run is reported in one or
// two calls and not in one for each line.
MonoTime unhurried(const SyncCore& core, Lane lane, MonoTime gathered) {
  return lane == Lane::kReport ? std::max(gathered, core.not_before(lane)) : core.not_before(lane);
}

// Whether `later` says all that `before` does: each answer repeats what is not done yet.
bool replaces(const Action& later, const Action& before) {
  if (later.index() != before.index()) return false;
  if (const auto* input = std::get_if<GiveInput>(&later))
    return input->key == std::get<GiveInput>(before).key;
  return std::holds_alternative<KeepSessions>(later);
}

// The run that the action is about, if it is about one.
std::optional<RunKey> key_of(const Action& action) {
  if (const auto* start = std::get_if<StartRun>(&action))
    return RunKey{start->assignment.run_uid, start->assignment.attempt};
  if (const auto* cancel = std::get_if<CancelRun>(&action)) return cancel->key;
  if (const auto* forget = std::get_if<ForgetRun>(&action)) return forget->key;
  if (const auto* input = std::get_if<GiveInput>(&action)) return input->key;
  return std::nullopt;
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

bool SyncLoop::report_due(const State& state, MonoTime now) {
  const SyncCore& core = state.core;
  if (core.has_urgent_news()) return now >= core.not_before(Lane::kReport);
  return core.has_news() && now >= unhurried(core, Lane::kReport, state.gathered);
}

// A report has what is to be read for it along, unless the disk does not give it.
bool SyncLoop::ready(const State& state, Lane lane, MonoTime now) {
  const SyncCore& core = state.core;
  if (lane == Lane::kHold) return core.established() && now >= core.not_before(lane);
  if (!report_due(state, now)) return false;
  if (state.output || !core.wants_output()) return true;
  const bool stalled = state.reading_since && now >= *state.reading_since + kDiskPatience;
  return stalled && core.has_news_but_output() && now >= unhurried(core, lane, state.gathered);
}

// When a lane looks again if nobody wakes it: once something that holds it back is over.
MonoTime SyncLoop::next_look(const State& state, Lane lane, MonoTime now) {
  MonoTime next = now + kIdleWait;
  const auto at = [&](MonoTime time) {
    if (time > now) next = std::min(next, time);
  };
  at(unhurried(state.core, lane, state.gathered));
  if (lane == Lane::kReport && state.reading_since) at(*state.reading_since + kDiskPatience);
  return next;
}

// Uses the state once it is ready; true when it is over. The time of the next look may come nearer
// while this waits, and nobody tells of that time itself: whoever is woken for other news looks.
bool SyncLoop::wait_for(Lane lane, const std::function<bool(const State&, MonoTime)>& ready,
                        const std::function<void(State&)>& use) {
  const MonoTime began = clock_.mono();
  const MonoTime until =
      state_.with([&](const State& state) { return next_look(state, lane, began); });
  return state_.wait_for(
      changed_, until - began,
      [&](const State& state) {
        const MonoTime now = clock_.mono();
        return state.over() || ready(state, now) || next_look(state, lane, now) < until;
      },
      [&](State& state, bool) {
        if (!state.over() && ready(state, clock_.mono())) use(state);
        return state.over();
      });
}

Ended SyncLoop::run(SyncPort& report, SyncPort& hold) {
  const bool stopping = state_.with([](State& state) {
    state.ended.reset();
    return state.stopping;
  });
  if (stopping) return {};
  ports_.with([&](auto& ports) { ports = {&report, &hold}; });
  std::vector<std::thread> threads;
  for (auto& work : std::vector<std::function<void()>>{
           [this, &hold] { lane(Lane::kHold, hold); }, [this] { perform(Acts::kOthers); },
           [this] { perform(Acts::kCancels); }, [this] { read(); }}) {
    auto thread = start_thread(std::move(work));
    if (thread) threads.push_back(std::move(*thread));
    if (!thread) end(Ended{Verdict::kStop, thread.error()});
  }
  lane(Lane::kReport, report);
  hold.abort();
  for (std::thread& each : threads) each.join();
  ports_.with([](auto& ports) { ports.clear(); });
  return state_.with([](State& state) { return state.ended.value_or(Ended{}); });
}

void SyncLoop::end(Ended how) {
  state_.with([&](State& state) { state.ended = std::move(how); });
  changed_.notify_all();
}

void SyncLoop::stop() {
  state_.with([](State& state) { state.stopping = true; });
  changed_.notify_all();
  ports_.with([](auto& ports) {
    for (SyncPort* port : ports) port->abort();
  });
}

Status SyncLoop::take_leave(SyncPort& port, const std::optional<std::set<RunKey>>& begun) {
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
    std::optional<Call> call;
    const auto is_ready = [&](const State& state, MonoTime now) { return ready(state, lane, now); };
    if (wait_for(lane, is_ready, [&](State& state) { call = begin(state, lane); }))
      return std::nullopt;
    if (call) return call;
  }
}

Call SyncLoop::begin(State& state, Lane lane) {
  std::vector<OutputRead> output;
  if (lane == Lane::kReport) {
    if (state.output) output = std::move(*state.output);
    state.output.reset();
  }
  return state.core.begin(lane, clock_.mono(), std::move(output));
}

void SyncLoop::settle(const Call& call, const Result<contracts::SyncAnswer>& answer) {
  const bool failed = state_.with([&](State& state) {
    if (state.over()) return false;  // aborted by us
    if (call.lane == Lane::kReport) state.gathered = clock_.mono() + kGather;
    if (answer) {
      for (Action& each : state.core.answered(call, *answer, clock_.mono(), random_))
        put_behind(state.actions, std::move(each));
      return false;
    }
    const FailureDecision decision =
        state.core.failed(call, answer.error(), clock_.mono(), random_);
    if (decision.verdict != Verdict::kRetry) state.ended = Ended{decision.verdict, decision.error};
    return true;
  });
  changed_.notify_all();
  if (failed)
    log_warn("the controller did not take a call", {{"error", answer.error().describe()}});
}

// A cancel stays behind what is to be done before it with the same run.
std::optional<Action> SyncLoop::take_action(State& state, Acts which) {
  std::set<RunKey> before;
  if (state.acting_on) before.insert(*state.acting_on);
  for (auto each = state.actions.begin(); each != state.actions.end(); ++each) {
    const std::optional<RunKey> key = key_of(*each);
    const bool cancels = std::holds_alternative<CancelRun>(*each);
    const bool mine = cancels == (which == Acts::kCancels);
    if (mine && !(cancels && before.contains(*key))) {
      Action taken = std::move(*each);
      state.actions.erase(each);
      if (!cancels) state.acting_on = key;
      return taken;
    }
    if (key) before.insert(*key);
  }
  return std::nullopt;
}

void SyncLoop::perform(Acts which) {
  while (true) {
    std::optional<Action> next;
    const bool over = state_.wait_for(
        changed_, kIdleWait,
        [&](State& state) {
          if (!state.over()) next = take_action(state, which);
          return state.over() || next.has_value();
        },
        [](State& state, bool) { return state.over(); });
    if (!next && over) return;
    if (!next) continue;
    PADDOCK_CRASH_POINT("actions-known");
    act_(*next);
    if (which == Acts::kCancels) continue;
    state_.with([](State& state) { state.acting_on.reset(); });
    changed_.notify_all();
  }
}

// Once a report is due, for that report. Without the lock: whatever the disk does, only output
// waits for it.
void SyncLoop::read() {
  const auto wants = [](const State& state, MonoTime now) {
    return !state.output && state.core.wants_output() && report_due(state, now);
  };
  while (true) {
    std::optional<OutputWanted> wanted;
    const bool over = wait_for(Lane::kReport, wants, [&](State& state) {
      wanted = state.core.wanted_output();
      state.reading_since = clock_.mono();
    });
    if (over) return;
    if (!wanted) continue;
    changed_.notify_all();  // a report goes without it if this takes long
    std::vector<OutputRead> output = read_output(*wanted, output_);
    state_.with([&](State& state) {
      state.reading_since.reset();
      state.output = std::move(output);
    });
    changed_.notify_all();
  }
}

}  // namespace paddock::sync
