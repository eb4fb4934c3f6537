#include "controller/calls/relay.h"

#include <algorithm>
#include <thread>

namespace paddock::calls {
namespace {

// Whether somebody is still there: a caller who hangs up cancels work, a lane without an agent is
// only in the way, and there is one of each idle node.
constexpr Millis kLookAtCallerEvery{250};
constexpr Millis kLookAtLaneEvery{2'000};

Millis slice(MonoTime until, MonoTime now, Millis most) {
  return std::clamp<Millis>(until - now, Millis(0), most);
}

}  // namespace

std::vector<Relay::Signal> Relay::signals_of(const State& state, const Wakes& wakes) {
  std::vector<Signal> out;
  for (const CallId& id : wakes.callers) {
    const auto found = state.callers.find(id);
    if (found != state.callers.end()) out.push_back(found->second);
  }
  for (const LaneKey& lane : wakes.lanes) {
    const auto found = state.lanes.find(lane);
    if (found != state.lanes.end()) out.push_back(found->second);
  }
  return out;
}

Status Relay::change(const std::function<Status(State&, Wakes&)>& what) {
  std::vector<Signal> signals;
  Status done = table_.with([&](State& state) {
    Wakes wakes;
    Status out = what(state, wakes);
    signals = signals_of(state, wakes);
    return out;
  });
  for (const Signal& signal : signals) signal->notify_all();
  return done;
}

Result<wire::Value> Relay::call(CallOptions options, const Clock& clock, Random& random) {
  const CallId id = make_uuid(random);
  const auto signal = std::make_shared<std::condition_variable>();
  Status submitted = change([&](State& state, Wakes& wakes) -> Status {
    if (state.names.contains(options.name))
      return Error{Code::kAlreadyExists, "CALL_EXISTS", "there is such a call already"};
    NewCall made{options.kind, std::move(options.payload), options.bytes, options.node,
                 options.caller};
    TRY(state.table.submit(id, std::move(made), clock.mono(), wakes));
    state.callers[id] = signal;
    if (!options.name.empty()) state.names[options.name] = id;
    return {};
  });
  TRY(std::move(submitted));
  if (options.meanwhile) {
    std::this_thread::yield();  // to the lane, which may have been woken on this processor
    options.meanwhile();
  }
  auto outcome = wait_for_outcome(id, options, *signal, clock);
  (void)change([&](State& state, Wakes& wakes) -> Status {
    state.table.cancel(id, wakes);
    state.callers.erase(id);
    if (!options.name.empty()) state.names.erase(options.name);
    return {};
  });
  return outcome;
}

Result<wire::Value> Relay::wait_for_outcome(const CallId& id, const CallOptions& options,
                                            std::condition_variable& signal, const Clock& clock) {
  const MonoTime start = clock.mono();
  const MonoTime end = start + options.patience;
  const MonoTime taken_by = start + std::min(options.queue_patience, options.patience);
  std::optional<Result<wire::Value>> outcome;
  while (true) {
    bool waits = false;
    std::vector<wire::Value> pieces;
    table_.wait_for(
        signal, slice(end, clock.mono(), kLookAtCallerEvery),
        [&](State& state) {
          pieces = state.table.take_pieces(id);
          if (options.holder != nullptr) *options.holder = state.table.holder(id);
          outcome = state.table.take_outcome(id, clock.mono());
          waits = state.table.waits(id);
          return outcome.has_value() || !pieces.empty();
        },
        [](State&, bool) {});
    for (const wire::Value& piece : pieces) {
      if (options.on_piece) options.on_piece(piece);
    }
    if (outcome) return std::move(*outcome);
    const MonoTime now = clock.mono();
    if (waits && now >= taken_by) {
      const auto why = table_.with([&](State& state) { return state.table.give_up(id, now); });
      if (why) return *why;
    }
    if (now >= end)
      return Error{Code::kDeadlineExceeded, "NO_ANSWER", "the node did not answer in time"};
    if (!options.connected())
      return Error{Code::kDeadlineExceeded, "CALLER_GONE", "the caller has hung up"};
  }
}

Status Relay::stop(const std::string& name) {
  return change([&](State& state, Wakes& wakes) -> Status {
    const auto named = state.names.find(name);
    if (named == state.names.end())
      return Error{Code::kNotFound, "CALL_NOT_FOUND", "there is no such call, or it has ended"};
    return state.table.stop(named->second, wakes);
  });
}

Result<contracts::CallsAnswer> Relay::serve(const LaneKey& lane,
                                            const contracts::CallsRequest& request,
                                            const std::function<bool()>& eligible,
                                            const std::function<bool()>& connected,
                                            const Clock& clock) {
  if (!request.pieces.empty()) {
    TRY(change([&](State& state, Wakes& wakes) -> Status {
      state.table.pass_on(lane, request.pieces, wakes);
      return {};
    }));
    return contracts::CallsAnswer{};
  }
  const MonoTime end = clock.mono() + Millis(request.wait_ms);
  const auto signal = std::make_shared<std::condition_variable>();
  // The answer that it brings is somebody's at once; whether it takes another may be looked up.
  Status opened = change([&](State& state, Wakes& wakes) -> Status {
    TRY(state.table.open(lane, request, wakes));
    state.lanes[lane] = signal;
    return {};
  });
  TRY(std::move(opened));
  std::optional<contracts::CallsAnswer> answer;
  std::optional<bool> told;  // whether it may take a call
  while (true) {
    // Also of one that is full: it is no reason to call elsewhere.
    if (const bool may = eligible(); told != may) {
      told = may;
      TRY(change([&](State& state, Wakes& wakes) -> Status {
        state.table.set_eligible(lane, may, wakes);
        return {};
      }));
    }
    table_.wait_for(
        *signal, slice(end, clock.mono(), kLookAtLaneEvery),
        [&](State& state) {
          answer = state.table.poll(lane);
          return answer.has_value();
        },
        [](State&, bool) {});
    if (answer || clock.mono() >= end || !connected()) break;
  }
  table_.with([&](State& state) {
    // What was given to it meanwhile goes out with this answer, or is known to be lost.
    if (!answer) answer = state.table.poll(lane);
    state.table.close(lane, clock.mono());
    const auto found = state.lanes.find(lane);
    if (found != state.lanes.end() && found->second == signal) state.lanes.erase(found);
  });
  return answer.value_or(contracts::CallsAnswer{});
}

std::optional<bool> Relay::known_eligible(const std::string& node, uint64_t version) const {
  return known_.with([&](const Known& known) -> std::optional<bool> {
    const auto found = known.eligible.find(node);
    if (known.version != version || found == known.eligible.end()) return std::nullopt;
    return found->second;
  });
}

void Relay::know_eligible(const std::string& node, uint64_t version, bool eligible) {
  known_.with([&](Known& known) {
    if (known.version > version) return;
    if (known.version < version) known.eligible.clear();
    known.version = version;
    known.eligible[node] = eligible;
  });
}

Load Relay::load(const Clock& clock) const {
  return table_.with([&](const State& state) { return state.table.load(clock.mono()); });
}

std::vector<contracts::SnippetSkills> Relay::skills(const Clock& clock) const {
  return table_.with([&](const State& state) { return state.table.skills(clock.mono()); });
}

}  // namespace paddock::calls
