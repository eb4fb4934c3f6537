#include "controller/calls/call_table.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "controller/base/code_word.h"
#include "controller/calls/call_errors.h"

namespace paddock::calls {
namespace {

// The call reached its node, as far as we can tell, and no answer came.
constexpr const char* kFateUnknown =
    "what became of the call is not known: its node may have done a part of it; look before you "
    "try "
    "again";

Code code_of(contracts::FailureKind kind) {
  using enum contracts::FailureKind;
  switch (kind) {
    case kInvalid:
      return Code::kInvalidArgument;
    case kNotFound:
      return Code::kNotFound;
    case kExists:
      return Code::kAlreadyExists;
    case kPrecondition:
      return Code::kFailedPrecondition;
    case kTooLarge:
      return Code::kTooLarge;
    case kExhausted:
      return Code::kResourceExhausted;
  }
  return Code::kUnavailable;
}

Result<wire::Value> outcome_of(contracts::CallAnswer answer) {
  if (!answer.failure) return std::move(answer.result);
  Error error = lost(code_or_invalid(answer.failure->reason), std::move(answer.failure->message));
  // What the node's system refused says nothing of the request, as that a folder of its is not
  // there.
  const bool says_nothing =
      error.reason == "SYSTEM_ERROR" && answer.failure->kind != contracts::FailureKind::kExhausted;
  if (answer.failure->kind && !says_nothing) error.code = code_of(*answer.failure->kind);
  if (!answer.failure->field.empty())
    error.causes = {{std::move(answer.failure->field), error.message}};
  return error;
}

Error canceled_before() {
  return {Code::kFailedPrecondition, "CALL_CANCELED", "it was canceled before it began"};
}

}  // namespace

bool CallTable::present(const Node& node, MonoTime now) const {
  return !node.open.empty() || !node.gone_at || now < *node.gone_at;
}

bool CallTable::any_present(const std::string& node, MonoTime now) const {
  return std::ranges::any_of(nodes_, [&](const auto& each) {
    const bool wanted = node.empty() ? each.second.does_snippets() : each.first == node;
    return wanted && present(each.second, now);
  });
}

Status CallTable::submit(const CallId& id, NewCall call, MonoTime now, Wakes& wakes) {
  see(now);
  if (!call.awaits_nodes && !any_present(call.node, now)) return no_node(call.node);
  TRY(check_room(call));
  queue_.push_back(id);
  queued_bytes_ += call.bytes;
  calls_[id].call = std::move(call);
  give(wakes);
  return {};
}

void CallTable::leave_queue(const CallId& id, const Entry& entry) {
  if (std::erase(queue_, id) > 0) queued_bytes_ -= entry.call.bytes;
}

std::optional<Result<wire::Value>> CallTable::take_outcome(const CallId& id, MonoTime now) {
  see(now);
  const auto found = calls_.find(id);
  if (found == calls_.end()) return lost("CALL_LOST", kFateUnknown);
  Entry& entry = found->second;
  if (!entry.outcome && entry.given) {
    const auto node = nodes_.find(entry.given->node);
    if (node == nodes_.end() || !present(node->second, now))
      entry.outcome = lost("NODE_LOST",
                           "the node that had the call is gone, and may have done a part of it; "
                           "look before you try again");
  }
  if (!entry.outcome) return std::nullopt;
  auto out = std::move(entry.outcome);
  calls_.erase(found);
  return out;
}

Status CallTable::stop(const CallId& id, Wakes& wakes) {
  const auto found = calls_.find(id);
  if (found == calls_.end())
    return Error{Code::kNotFound, "CALL_NOT_FOUND", "there is no such call, or it has ended"};
  Entry& entry = found->second;
  if (entry.outcome) return {};
  if (entry.given) {
    entry.stopped = true;
    tell_to_end(id, *entry.given, wakes);
    return {};
  }
  leave_queue(id, entry);
  finish(id, canceled_before(), wakes);
  return {};
}

void CallTable::tell_to_end(const CallId& id, const LaneKey& holder, Wakes& wakes) {
  const auto node = nodes_.find(holder.node);
  if (node == nodes_.end() || node->second.process != holder.process) return;
  node->second.drops.insert(id);
  for (const int64_t lane : node->second.open)
    wakes.lanes.push_back({holder.node, holder.process, lane});
}

// A node without a lane is silent from then on, and not sooner.
void CallTable::stays(Node& node, MonoTime until) const {
  if (node.gone_at) node.gone_at = std::max(*node.gone_at, until + limits_.silent_after);
}

void CallTable::hear(const LaneKey& lane, MonoTime until) {
  const auto node = nodes_.find(lane.node);
  if (node != nodes_.end() && node->second.process == lane.process) stays(node->second, until);
}

void CallTable::was_away(MonoTime now) {
  for (auto& [name, node] : nodes_) stays(node, now);
}

bool CallTable::waits(const CallId& id) const {
  const auto found = calls_.find(id);
  return found != calls_.end() && !found->second.given && !found->second.outcome;
}

bool CallTable::awaits_nodes(const CallId& id, MonoTime now) const {
  return waits(id) && !any_present(calls_.at(id).call.node, now);
}

std::string CallTable::holder(const CallId& id) const {
  const auto found = calls_.find(id);
  return found != calls_.end() && found->second.given ? found->second.given->node : "";
}

std::optional<Error> CallTable::give_up(const CallId& id, MonoTime now) {
  see(now);
  if (!waits(id)) return std::nullopt;
  const auto entry = calls_.extract(id);
  leave_queue(id, entry.mapped());
  return why_it_waits(entry.mapped(), now);
}

void CallTable::cancel(const CallId& id, Wakes& wakes) {
  auto node = calls_.extract(id);
  if (node.empty()) return;
  const Entry& entry = node.mapped();
  if (!entry.given) {
    leave_queue(id, entry);
    return;
  }
  if (entry.outcome) return;  // the node is done with it
  tell_to_end(id, *entry.given, wakes);
}

// An agent process that was replaced never answers the calls that it was given.
Status CallTable::begin_process(const LaneKey& lane, int64_t generation, Wakes& wakes) {
  Node& node = nodes_[lane.node];
  if (node.process == lane.process) return {};
  if (generation < node.generation) {
    return Error{Code::kConflict, "SESSION_SUPERSEDED",
                 "a newer agent process speaks for this node"};
  }
  node.generation = generation;
  const std::string old = std::exchange(node.process, lane.process);
  node.open.clear();
  std::erase_if(lanes_, [&](const auto& each) {
    return each.first.node == lane.node && each.first.process == old;
  });
  std::erase_if(idle_, [&](const auto& each) {
    return each.second.node == lane.node && each.second.process == old;
  });
  std::vector<CallId> orphans;
  for (const auto& [id, entry] : calls_) {
    if (entry.given && entry.given->node == lane.node && entry.given->process == old)
      orphans.push_back(id);
  }
  for (const CallId& id : orphans) {
    if (take_back(id, wakes)) continue;
    finish(id,
           lost("NODE_LOST",
                "the agent that had the call is gone, and may have done a part of it; "
                "look before you try again"),
           wakes);
  }
  node.drops.clear();
  return {};
}

void CallTable::finish(const CallId& id, Result<wire::Value> outcome, Wakes& wakes) {
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second.outcome) return;
  found->second.outcome = std::move(outcome);
  wakes.callers.push_back(id);
}

// A lane that was given a call comes back with its answer, or has lost it.
void CallTable::settle(const LaneKey& lane, const std::optional<contracts::CallAnswer>& answer,
                       Wakes& wakes) {
  Lane& state = lanes_[lane];
  const CallId given = state.call;
  if (given.empty()) return;  // an answer that is repeated: it was taken before
  let_go(state);
  if (answer && answer->id == given) {
    finish(given, outcome_of(*answer), wakes);
  } else if (!take_back(given, wakes)) {
    finish(given, lost("CALL_LOST", kFateUnknown), wakes);
  }
  nodes_[lane.node].drops.erase(given);
}

// Drops calls that a former controller process gave to the node, or that we gave up: no caller
// waits for them. The limits bound what a node costs that names calls which never existed.
void CallTable::drop_unknown(const LaneKey& lane, const std::vector<CallId>& holds) {
  constexpr size_t kMostDrops = 2048;
  constexpr size_t kLongestId = 256;
  for (const CallId& id : holds) {
    if (nodes_[lane.node].drops.size() >= kMostDrops || id.size() > kLongestId) continue;
    const auto found = calls_.find(id);
    const bool known =
        found != calls_.end() && found->second.given && found->second.given->node == lane.node;
    if (!known) nodes_[lane.node].drops.insert(id);
  }
}

// A call that no answer to a lane has carried yet was not begun: it waits again, before all others.
bool CallTable::take_back(const CallId& id, Wakes& wakes) {
  const auto found = calls_.find(id);
  if (found == calls_.end() || !found->second.given || found->second.picked_up ||
      found->second.outcome)
    return false;
  Entry& entry = found->second;
  if (entry.stopped) {
    nodes_[entry.given->node].drops.erase(id);
    finish(id, canceled_before(), wakes);
    return true;
  }
  entry.given.reset();
  queue_.push_front(id);
  queued_bytes_ += entry.call.bytes;
  return true;
}

void CallTable::let_go(Lane& lane) {
  lane.call.clear();
  lane.shared_by.reset();
  lane.place_of.reset();
}

Status CallTable::open(const LaneKey& lane, const contracts::CallsRequest& request, Wakes& wakes) {
  TRY(begin_process(lane, request.generation, wakes));
  Node& node = nodes_[lane.node];
  node.gone_at.reset();
  if (request.snippets) node.skills = request.snippets;
  node.places = static_cast<size_t>(request.places);
  for (const CallId& heard : request.dropped) node.drops.erase(heard);
  settle(lane, request.answer, wakes);
  drop_unknown(lane, request.holds);
  stop_waiting(lane);
  node.open.insert(lane.lane);
  Lane& state = lanes_[lane];
  state.takes = request.takes;
  state.snippets = request.takes_snippets && node.does_snippets();
  state.eligible = false;
  if (state.takes) {
    state.idle_as = ++arrivals_;
    idle_.emplace(state.idle_as, lane);
  }
  give(wakes);  // what it brought may have made room for others
  return {};
}

void CallTable::set_eligible(const LaneKey& lane, bool eligible, Wakes& wakes) {
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return;
  found->second.eligible = eligible;
  nodes_[lane.node].eligible = eligible;
  if (eligible) give(wakes);
}

std::optional<contracts::CallsAnswer> CallTable::poll(const LaneKey& lane) {
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return contracts::CallsAnswer{};  // a newer process took its place
  contracts::CallsAnswer out;
  const auto call = calls_.find(found->second.call);
  if (call != calls_.end() && !call->second.picked_up) {
    call->second.picked_up = true;
    // The node may have heard of it before it had the call.
    if (call->second.stopped) nodes_[lane.node].drops.insert(call->first);
    NewCall& given = call->second.call;
    out.call = contracts::NodeCall{call->first, given.kind, std::move(given.payload)};
  } else if (!found->second.call.empty() && call == calls_.end()) {
    let_go(found->second);  // canceled before it was handed out
  }
  const Node& node = nodes_[lane.node];
  out.drop.assign(node.drops.begin(), node.drops.end());
  if (!out.call && out.drop.empty()) return std::nullopt;
  return out;
}

void CallTable::stop_waiting(const LaneKey& lane) {
  const auto found = lanes_.find(lane);
  if (found != lanes_.end()) idle_.erase(std::exchange(found->second.idle_as, 0));
}

// How long the answer to this lane may take to arrive. Until then the agent may hold no other lane,
// and must not be taken for gone.
Millis CallTable::way_of(const LaneKey& lane) const {
  const auto found = lanes_.find(lane);
  const auto call = found == lanes_.end() ? calls_.end() : calls_.find(found->second.call);
  if (call == calls_.end() || !call->second.picked_up) return Millis(0);
  return std::min(Millis(call->second.call.bytes / limits_.slowest_link), limits_.longest_way);
}

void CallTable::close(const LaneKey& lane, RequestEnd how, MonoTime now, Wakes& wakes) {
  see(now);
  stop_waiting(lane);
  const auto node = nodes_.find(lane.node);
  if (node == nodes_.end() || node->second.process != lane.process) return;
  if (Lane& state = lanes_[lane]; take_back(state.call, wakes)) {
    let_go(state);
    give(wakes);
  }
  node->second.open.erase(lane.lane);
  if (!node->second.open.empty()) return;
  const Millis away =
      how == RequestEnd::kHungUp ? limits_.gone_after : way_of(lane) + limits_.silent_after;
  node->second.gone_at = now + away;
}

std::vector<contracts::SnippetSkills> CallTable::skills(MonoTime now) const {
  std::vector<contracts::SnippetSkills> out;
  for (const auto& [name, node] : nodes_) {
    if (present(node, now) && node.skills && node.skills->enabled) out.push_back(*node.skills);
  }
  return out;
}

}  // namespace paddock::calls
