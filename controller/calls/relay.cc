#include "controller/calls/relay.h"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include "common/base/text.h"
#include "controller/calls/call_errors.h"

namespace paddock::calls {
namespace {

// Time alone may end a call: a node that is silent for long has lost it.
constexpr Millis kLookAtCallEvery{250};

Millis slice(MonoTime until, MonoTime now, Millis most) {
  return std::clamp<Millis>(until - now, Millis(0), most);
}

std::string holder_of_share(const CallOptions& options) {
  return options.caller.empty() ? "" : cat(options.name_space, "/", options.caller);
}

// Until when a caller waits, and for what.
struct CallDeadlines {
  MonoTime answer;  // for the outcome
  MonoTime taken;   // for a node to take the call
  MonoTime come;    // for a node to come, where there is none

  CallDeadlines(const CallOptions& options, MonoTime start)
      : answer(start + options.patience),
        taken(start + std::min(options.queue_patience, options.patience)),
        come(start + options.arrival_patience) {}

  // This process stood still for a while, in which no node could take the call or answer it.
  void shift(Millis away) {
    answer = answer + away;
    taken = taken + away;
    come = come + away;
  }
  // Whether a call that no node took is given up; `alone`: no node is there for it.
  bool is_overdue(bool alone, MonoTime now) const {
    return now >= (alone ? std::min(taken, come) : taken);
  }
};

Error over() { return {Code::kFailedPrecondition, "CALL_CANCELED", "what it was for is over"}; }

}  // namespace

Relay::Woken Relay::woken_of(const State& state, const Wakes& wakes) {
  Woken out;
  for (const CallId& id : wakes.callers) {
    const auto found = state.callers.find(id);
    if (found != state.callers.end()) out.callers.push_back(found->second);
  }
  for (const LaneKey& lane : wakes.lanes) {
    const auto found = state.lanes.find(lane);
    if (found != state.lanes.end() && found->second->waker)
      out.lanes.push_back(found->second->waker);
  }
  return out;
}

Status Relay::change(const std::function<Status(State&, Wakes&)>& what) {
  Woken woken;
  Status done = table_.with([&](State& state) {
    Wakes wakes;
    Status out = what(state, wakes);
    woken = woken_of(state, wakes);
    return out;
  });
  for (const HeldPtr& held : woken.callers) held->changed.notify_all();
  for (const auto& waker : woken.lanes) waker->wake();
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
    TRY(check_alike(state, options));
    if (!options.part_of.empty() && !state.callers.contains(options.part_of)) return over();
    NewCall made{options.kind, std::move(options.payload), options.bytes,
                 options.node, holder_of_share(options),   options.arrival_patience > Millis(0)};
    TRY(state.table.submit(id, std::move(made), clock.mono(), wakes));
    state.callers[id] = held;
    if (!options.name.empty())
      state.names[options.name] = {
          id, options.kind, options.caller, options.name_space, options.token, options.node};
    if (!options.part_of.empty()) state.parts.emplace(options.part_of, id);
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
  let_go(id, options);
  return outcome;
}

void Relay::let_go(const CallId& id, const CallOptions& options) {
  (void)change([&](State& state, Wakes& wakes) -> Status {
    state.table.cancel(id, wakes);
    state.callers.erase(id);
    if (!options.name.empty()) state.names.erase(options.name);
    end_parts(state, id, wakes);
    const auto [first, last] = state.parts.equal_range(options.part_of);
    for (auto at = first; at != last; at = at->second == id ? state.parts.erase(at) : ++at) {
    }
    return {};
  });
  room_.notify_all();
}

// What waits to be done for a call that is over is not done for a later one of its name.
void Relay::end_parts(State& state, const CallId& id, Wakes& wakes) {
  const auto [first, last] = state.parts.equal_range(id);
  for (auto at = first; at != last; ++at) {
    if (state.table.waits(at->second)) (void)state.table.stop(at->second, wakes);
  }
  state.parts.erase(first, last);
}

// Nobody takes all there are on a node, nor all whose tokens are good for one namespace: these may
// last for a day.
Status Relay::check_alike(const State& state, const CallOptions& options) {
  if (options.most_alike == 0) return {};
  size_t mine = 0;
  size_t ours = 0;
  for (const auto& [id, other] : state.names) {
    if (other.kind != options.kind || other.node != options.node ||
        other.name_space != options.name_space)
      continue;
    ++ours;
    if (other.caller == options.caller) ++mine;
  }
  const char* const why =
      " commands on this node that have a terminal, or input that comes, as many as one ";
  if (mine >= options.most_alike)
    return try_later("TOO_MANY_COMMANDS", cat("you have ", options.most_alike, why,
                                              "caller has there: end one of them"));
  const size_t most = options.most_alike + options.most_alike / 2;
  if (options.name_space.empty() || ours < most) return {};
  return try_later("TOO_MANY_COMMANDS", cat("the callers of your namespace have ", most, why,
                                            "namespace has there: wait until one of them ends"));
}

// What a caller's thread learns when it wakes up.
struct Relay::Look {
  std::optional<Result<wire::Value>> outcome;
  std::vector<wire::Value> pieces;
  bool waits = false;  // for a node to take the call
  bool alone = false;  // and no node is there for it
  bool gone = false;   // whoever waits for the outcome
  Millis away{0};      // how long this process stood still meanwhile
};

// Waits at most so long for something to hand on.
Relay::Look Relay::look_at(const CallId& id, const CallOptions& options, Held& held, Millis most,
                           SuspensionDetector& suspension, const Clock& clock) {
  Look seen;
  table_.wait_for(
      held.changed, most,
      [&](State& state) {
        const MonoTime now = clock.mono();
        const Millis missed = suspension.look({}, now);
        if (missed > Millis(0)) state.table.was_away(now);
        seen.away += missed;
        seen.pieces = state.table.take_pieces(id);
        if (options.holder != nullptr) *options.holder = state.table.holder(id);
        seen.outcome = state.table.take_outcome(id, now);
        seen.waits = state.table.waits(id);
        seen.alone = state.table.awaits_nodes(id, now);
        seen.gone = held.gone;
        return seen.outcome.has_value() || !seen.pieces.empty() || seen.gone;
      },
      [](State&, bool) {});
  return seen;
}

Result<wire::Value> Relay::wait_for_outcome(const CallId& id, const CallOptions& options,
                                            Held& held, const Clock& clock) {
  const MonoTime start = clock.mono();
  CallDeadlines until(options, start);
  SuspensionDetector suspension(kLookAtCallEvery * 4, {}, start);
  while (true) {
    Look seen = look_at(id, options, held, slice(until.answer, clock.mono(), kLookAtCallEvery),
                        suspension, clock);
    const MonoTime handing = clock.mono();
    hand_on(id, options, seen.pieces);
    if (seen.outcome) return std::move(*seen.outcome);
    const MonoTime handed = clock.mono();
    (void)suspension.look({}, handed);  // a slow caller is no pause of this process
    until.shift(seen.away);
    until.answer = until.answer + (handed - handing);  // nor is it the node's delay
    const MonoTime now = clock.mono();
    if (seen.waits && until.is_overdue(seen.alone, now)) {
      const auto why = table_.with([&](State& state) { return state.table.give_up(id, now); });
      if (why) return *why;
    }
    if (now >= until.answer)
      return Error{Code::kDeadlineExceeded, "NO_ANSWER", "the node did not answer in time"};
    if (seen.gone || options.client.gone())
      return Error{Code::kDeadlineExceeded, "CALLER_GONE", "the caller has hung up"};
  }
}

// To the caller, however slow he is: until he has them there is no room for as many more.
void Relay::hand_on(const CallId& id, const CallOptions& options,
                    const std::vector<wire::Value>& pieces) {
  if (pieces.empty()) return;
  for (const wire::Value& piece : pieces) {
    if (options.on_piece) options.on_piece(piece);
  }
  table_.with([&](State& state) { state.table.note_written(id); });
  room_.notify_all();
}

Status Relay::stop(const std::string& name) {
  return change([&](State& state, Wakes& wakes) -> Status {
    const auto named = state.names.find(name);
    if (named == state.names.end())
      return Error{Code::kNotFound, "CALL_NOT_FOUND", "there is no such call, or it has ended"};
    return state.table.stop(named->second.id, wakes);
  });
}

void Relay::stop_of(const std::string& token) {
  if (token.empty()) return;  // calls that are nobody's have none
  (void)change([&](State& state, Wakes& wakes) -> Status {
    for (const auto& [name, call] : state.names) {
      if (call.token == token) (void)state.table.stop(call.id, wakes);
    }
    return {};
  });
}

std::optional<NamedCall> Relay::find(const std::string& name) const {
  return table_.with([&](const State& state) -> std::optional<NamedCall> {
    const auto named = state.names.find(name);
    if (named == state.names.end()) return std::nullopt;
    return named->second;
  });
}

void Relay::node_changed(const std::string& node) {
  known_.with([&](Known& known) {
    ++known.changes;
    known.eligible.erase(node);
  });
  std::vector<std::shared_ptr<Waker>> asked;
  table_.with([&](State& state) {
    for (auto at = state.lanes.lower_bound({node, "", INT64_MIN});
         at != state.lanes.end() && at->first.node == node; ++at) {
      at->second->asks = true;
      if (at->second->waker) asked.push_back(at->second->waker);
    }
  });
  for (const auto& waker : asked) waker->wake();
}

void Relay::nodes_changed() {
  known_.with([](Known& known) {
    ++known.changes;
    known.eligible.clear();
  });
  std::vector<std::shared_ptr<Waker>> asked;
  table_.with([&](State& state) {
    for (const auto& [key, lane] : state.lanes) {
      lane->asks = true;
      if (lane->waker) asked.push_back(lane->waker);
    }
  });
  for (const auto& waker : asked) waker->wake();
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
