#include "controller/calls/relay.h"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include "common/base/suspension.h"

namespace paddock::calls {
namespace {

// Time alone may end a call: a node that is silent for long has lost it.
constexpr Millis kLookAtCallEvery{250};

Millis slice(MonoTime until, MonoTime now, Millis most) {
  return std::clamp<Millis>(until - now, Millis(0), most);
}

}  // namespace

std::vector<Relay::HeldPtr> Relay::held_of(const State& state, const Wakes& wakes) {
  std::vector<HeldPtr> out;
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
  std::vector<HeldPtr> woken;
  Status done = table_.with([&](State& state) {
    Wakes wakes;
    Status out = what(state, wakes);
    woken = held_of(state, wakes);
    return out;
  });
  for (const HeldPtr& held : woken) held->changed.notify_all();
  return done;
}

// `held` is guarded by the lock of the table.
DisconnectWatch Relay::watch(const DisconnectToken& client, const HeldPtr& held) {
  return client.watch([this, held] {
    table_.with([&](State&) { held->gone = true; });
    held->changed.notify_all();
  });
}

Result<wire::Value> Relay::call(CallOptions options, const Clock& clock, Random& random) {
  const CallId id = make_uuid(random);
  const auto held = std::make_shared<Held>();
  Status submitted = change([&](State& state, Wakes& wakes) -> Status {
    if (state.names.contains(options.name))
      return Error{Code::kAlreadyExists, "CALL_EXISTS", "there is such a call already"};
    NewCall made{options.kind,   std::move(options.payload),          options.bytes, options.node,
                 options.caller, options.arrival_patience > Millis(0)};
    TRY(state.table.submit(id, std::move(made), clock.mono(), wakes));
    state.callers[id] = held;
    if (!options.name.empty()) state.names[options.name] = id;
    return {};
  });
  TRY(std::move(submitted));
  if (options.meanwhile) {
    std::this_thread::yield();  // to the lane, which may have been woken on this processor
    options.meanwhile();
  }
  auto outcome = [&] {
    const DisconnectWatch watching = watch(options.client, held);
    return wait_for_outcome(id, options, *held, clock);
  }();
  (void)change([&](State& state, Wakes& wakes) -> Status {
    state.table.cancel(id, wakes);
    state.callers.erase(id);
    if (!options.name.empty()) state.names.erase(options.name);
    return {};
  });
  return outcome;
}

Result<wire::Value> Relay::wait_for_outcome(const CallId& id, const CallOptions& options,
                                            Held& held, const Clock& clock) {
  const MonoTime start = clock.mono();
  MonoTime end = start + options.patience;
  MonoTime taken_by = start + std::min(options.queue_patience, options.patience);
  MonoTime come_by = start + options.arrival_patience;
  SuspensionDetector suspension(kLookAtCallEvery * 4, {}, start);
  std::optional<Result<wire::Value>> outcome;
  while (true) {
    bool waits = false;
    bool alone = false;
    bool gone = false;
    std::vector<wire::Value> pieces;
    Millis away{0};
    table_.wait_for(
        held.changed, slice(end, clock.mono(), kLookAtCallEvery),
        [&](State& state) {
          const MonoTime now = clock.mono();
          const Millis missed = suspension.look({}, now);
          if (missed > Millis(0)) state.table.was_away(now);
          away += missed;
          pieces = state.table.take_pieces(id);
          if (options.holder != nullptr) *options.holder = state.table.holder(id);
          outcome = state.table.take_outcome(id, now);
          waits = state.table.waits(id);
          alone = state.table.awaits_nodes(id, now);
          gone = held.gone;
          return outcome.has_value() || !pieces.empty() || gone;
        },
        [](State&, bool) {});
    for (const wire::Value& piece : pieces) {
      if (options.on_piece) options.on_piece(piece);
    }
    if (outcome) return std::move(*outcome);
    end = end + away;  // nobody could answer while nobody was here
    taken_by = taken_by + away;
    come_by = come_by + away;
    const MonoTime now = clock.mono();
    if (waits && now >= (alone ? std::min(taken_by, come_by) : taken_by)) {
      const auto why = table_.with([&](State& state) { return state.table.give_up(id, now); });
      if (why) return *why;
    }
    if (now >= end)
      return Error{Code::kDeadlineExceeded, "NO_ANSWER", "the node did not answer in time"};
    if (gone || options.client.gone())
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
                                            const DisconnectToken& agent, const Clock& clock) {
  if (!request.pieces.empty()) {
    TRY(change([&](State& state, Wakes& wakes) -> Status {
      state.table.pass_on(lane, request.pieces, wakes);
      return {};
    }));
    return contracts::CallsAnswer{};
  }
  const MonoTime end = clock.mono() + Millis(request.wait_ms);
  const auto held = std::make_shared<Held>();
  // First the answer that the lane brings is handed to its caller. Whether the node may take
  // another call can be looked up after that.
  Status opened = change([&](State& state, Wakes& wakes) -> Status {
    TRY(state.table.open(lane, request, wakes));
    state.lanes[lane] = held;
    return {};
  });
  TRY(std::move(opened));
  auto answer = wait_for_call(lane, held, eligible, agent, end, clock);
  table_.with([&](State& state) {
    // A call that was given to this lane in the meantime goes out with this answer, or is known to
    // be lost.
    if (!answer) answer = state.table.poll(lane);
    state.table.close(lane, clock.mono());
    const auto found = state.lanes.find(lane);
    if (found != state.lanes.end() && found->second == held) state.lanes.erase(found);
  });
  return answer.value_or(contracts::CallsAnswer{});
}

std::optional<contracts::CallsAnswer> Relay::wait_for_call(const LaneKey& lane, const HeldPtr& held,
                                                           const std::function<bool()>& eligible,
                                                           const DisconnectToken& agent,
                                                           MonoTime end, const Clock& clock) {
  const DisconnectWatch watching = watch(agent, held);
  while (true) {
    const MonoTime now = clock.mono();
    std::optional<contracts::CallsAnswer> answer;
    bool asks = false;
    bool gone = false;
    table_.wait_for(
        held->changed, slice(end, now, watching ? Millis::max() : DisconnectToken::kAskEvery),
        [&](State& state) {
          answer = state.table.poll(lane);
          asks = std::exchange(held->asks, false);
          gone = held->gone;
          return answer || asks || gone;
        },
        [](State&, bool) {});
    if (answer) return answer;
    if (asks) {
      // A node that is full is still eligible: that is no reason to place the call elsewhere.
      const bool may = eligible();
      (void)change([&](State& state, Wakes& wakes) -> Status {
        state.table.set_eligible(lane, may, wakes);
        return {};
      });
    } else if (gone || clock.mono() >= end || agent.gone()) {
      return std::nullopt;
    }
  }
}

void Relay::node_changed(const std::string& node) {
  known_.with([&](Known& known) {
    ++known.changes;
    known.eligible.erase(node);
  });
  std::vector<HeldPtr> asked;
  table_.with([&](State& state) {
    for (auto at = state.lanes.lower_bound({node, "", INT64_MIN});
         at != state.lanes.end() && at->first.node == node; ++at) {
      at->second->asks = true;
      asked.push_back(at->second);
    }
  });
  for (const HeldPtr& held : asked) held->changed.notify_all();
}

std::optional<bool> Relay::known_eligible(const std::string& node) const {
  return known_.with([&](const Known& known) -> std::optional<bool> {
    const auto found = known.eligible.find(node);
    if (found == known.eligible.end()) return std::nullopt;
    return found->second;
  });
}

void Relay::know_eligible(const std::string& node, uint64_t changes, bool eligible) {
  known_.with([&](Known& known) {
    if (known.changes == changes) known.eligible[node] = eligible;
  });
}

uint64_t Relay::changes() const {
  return known_.with([](const Known& known) { return known.changes; });
}

Load Relay::load(const Clock& clock) const {
  return table_.with([&](const State& state) { return state.table.load(clock.mono()); });
}

std::vector<contracts::SnippetSkills> Relay::skills(const Clock& clock) const {
  return table_.with([&](const State& state) { return state.table.skills(clock.mono()); });
}

}  // namespace paddock::calls
