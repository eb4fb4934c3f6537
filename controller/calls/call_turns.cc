// Decides which call may wait, and which call is given to which lane. A call for one node goes to a
// lane of that node; the others are given out in turn.
#include <algorithm>
#include <limits>

#include "common/base/text.h"
#include "common/contracts/run_exec.h"
#include "controller/calls/call_errors.h"
#include "controller/calls/call_table.h"

namespace paddock::calls {
namespace {

// Attached commands and what is typed to them take no place, just as on the node
// (node-agent/calls/places.h). How many of those a caller may have is bounded where the caller asks
// for them.
bool takes_place(const NewCall& call) {
  return !call.node.empty() && !call.caller.empty() && call.kind != contracts::kRunAttach &&
         call.kind != contracts::kRunInput;
}

// Whether the caller may take one more place of `share`. A namespace has as large a share as a
// caller without one; within it, each of its callers has a part.
bool may_take(const CallCounts& held, std::string_view caller, size_t share) {
  const std::string_view tenant = tenant_of(caller);
  return held_by(held, tenant) < share &&
         (!is_namespace(tenant) || held_by(held, caller) < share_within(share));
}

struct ShareHolder {
  std::string who;
  size_t count;
  const char* whose;  // share this is
};

// Says who has reached the share: the caller, or all callers of its namespace together.
ShareHolder who_holds(const CallCounts& held, const std::string& caller, size_t share) {
  const std::string_view tenant = tenant_of(caller);
  const size_t together = held_by(held, tenant);
  if (is_namespace(tenant) && together >= share)
    return {"the callers of your namespace hold", together, "namespace"};
  return {"you hold", held_by(held, caller), "caller"};
}

Error holds_its_share(const CallCounts& held, const std::string& caller, size_t total) {
  const ShareHolder told = who_holds(held, caller, share_of(total));
  return try_later(
      "NODES_BUSY",
      cat(told.who, " ", told.count, " of the ", total,
          " places that this node has for commands and files, as many as one ", told.whose,
          " may there: end one of your commands, or try again when one has ended"));
}

// Counts the calls that one caller, or all callers of its tenant, have in the queue.
struct Queued {
  size_t calls = 1;
  size_t bytes = 0;
  bool fits(size_t most_calls, size_t most_bytes) const {
    return calls <= most_calls && bytes <= most_bytes;
  }
  void add(const NewCall& call) {
    ++calls;
    bytes += call.bytes;
  }
};

}  // namespace

bool CallTable::takes_shared(const Node& node, MonoTime now) const {
  return node.eligible && node.does_snippets() && present(node, now);
}

// Neither one caller nor all of one namespace can fill what waits.
Status CallTable::check_room(const NewCall& call) const {
  if (queue_.size() >= limits_.waiting_calls || queued_bytes_ + call.bytes > limits_.waiting_bytes)
    return try_later("TOO_MANY_CALLS", "too many calls wait for a node already; try again later");
  if (call.caller.empty()) return {};
  const std::string_view tenant = tenant_of(call.caller);
  Queued mine{.bytes = call.bytes};
  Queued ours{.bytes = call.bytes};
  for (const CallId& id : queue_) {
    const NewCall& other = calls_.at(id).call;
    if (tenant_of(other.caller) != tenant) continue;
    ours.add(other);
    if (other.caller == call.caller) mine.add(other);
  }
  const size_t calls = share_of(limits_.waiting_calls);
  const size_t bytes = share_of(limits_.waiting_bytes);
  if (!ours.fits(calls, bytes)) {
    return try_later("TOO_MANY_CALLS",
                     cat("as many calls of your ", is_namespace(tenant) ? "namespace" : "own",
                         " wait for a node as may; try again later"));
  }
  if (!is_namespace(tenant) || mine.fits(share_within(calls), share_within(bytes))) return {};
  return try_later("TOO_MANY_CALLS",
                   "as many of your calls wait for a node as may of one caller; try again later");
}

size_t CallTable::places(MonoTime now) const {
  size_t out = 0;
  for (const auto& [name, node] : nodes_) {
    if (node.skills && takes_shared(node, now)) out += static_cast<size_t>(node.skills->parallel);
  }
  return out;
}

CallCounts CallTable::held(MonoTime now) const {
  CallCounts out;
  for (const auto& [key, lane] : lanes_) {
    const auto node = nodes_.find(key.node);
    if (lane.shared_by && node != nodes_.end() && present(node->second, now))
      ++out[*lane.shared_by];
  }
  return out;
}

size_t CallTable::most_of_one(MonoTime now) const {
  const size_t total = places(now);
  return total == 0 ? std::numeric_limits<size_t>::max() : share_of(total);
}

// The one that was used last: its connection is the warmest.
std::optional<LaneKey> CallTable::take_lane(const Entry& entry) {
  const auto does = [&](const auto& idle) {
    if (!entry.call.node.empty()) return idle.second.node == entry.call.node;
    const Lane& lane = lanes_[idle.second];
    return lane.eligible && lane.snippets;
  };
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), does);
  if (found == idle_.rend()) return std::nullopt;
  LaneKey out = found->second;
  stop_waiting(out);
  return out;
}

void CallTable::give(Wakes& wakes) {
  if (queue_.empty() || idle_.empty()) return;
  give_to_own_nodes(wakes);
  give_in_turn(wakes);
}

CallCounts CallTable::held_on(const std::string& node) const {
  CallCounts out;
  for (auto at = lanes_.lower_bound({node, "", std::numeric_limits<int64_t>::min()});
       at != lanes_.end() && at->first.node == node; ++at) {
    if (at->second.place_of) ++out[*at->second.place_of];
  }
  return out;
}

// Some of these last for a day, so that nobody may hold all of them.
size_t CallTable::most_on(const std::string& node) const {
  const auto found = nodes_.find(node);
  const size_t total = found == nodes_.end() ? 0 : found->second.places;
  return total == 0 ? std::numeric_limits<size_t>::max() : share_of(total);
}

void CallTable::give_to_own_nodes(Wakes& wakes) {
  std::map<std::string, CallCounts> held;
  std::erase_if(queue_, [&](const CallId& id) {
    const Entry& entry = calls_[id];
    const NewCall& call = entry.call;
    if (call.node.empty()) return false;
    size_t* mine = nullptr;
    if (takes_place(call)) {
      auto on_node = held.find(call.node);
      if (on_node == held.end()) on_node = held.emplace(call.node, held_on(call.node)).first;
      if (!may_take(on_node->second, call.caller, most_on(call.node))) return false;
      mine = &on_node->second[call.caller];
    }
    const auto lane = take_lane(entry);
    if (!lane) return false;
    if (mine != nullptr) ++*mine;
    hand_over(id, *lane, wakes);
    return true;
  });
}

void CallTable::give_in_turn(Wakes& wakes) {
  CallCounts has = held(latest_);
  const size_t most = most_of_one(latest_);
  while (true) {
    std::vector<CallId> ids;
    std::vector<std::string_view> callers;
    for (const CallId& id : queue_) {
      const NewCall& call = calls_[id].call;
      if (!call.node.empty()) continue;
      ids.push_back(id);
      callers.push_back(call.caller);
    }
    const auto turn = next_in_turn(callers, has, turns_, most);
    if (!turn) return;
    const CallId& id = ids[*turn];
    const auto lane = take_lane(calls_[id]);
    if (!lane) return;
    turns_.note(callers[*turn]);
    ++has[std::string(callers[*turn])];
    std::erase(queue_, id);
    hand_over(id, *lane, wakes);
  }
}

void CallTable::hand_over(const CallId& id, const LaneKey& lane, Wakes& wakes) {
  Entry& entry = calls_[id];
  queued_bytes_ -= entry.call.bytes;
  entry.given = lane;
  Lane& taker = lanes_[lane];
  taker.call = id;
  if (entry.call.node.empty()) taker.shared_by = entry.call.caller;
  if (takes_place(entry.call)) taker.place_of = entry.call.caller;
  wakes.lanes.push_back(lane);
}

Error CallTable::why_its_node_waits(const NewCall& call, MonoTime now) const {
  if (!any_present(call.node, now)) return no_node(call.node);
  const CallCounts has = held_on(call.node);
  if (takes_place(call) && !may_take(has, call.caller, most_on(call.node)))
    return holds_its_share(has, call.caller, nodes_.at(call.node).places);
  return try_later("NODES_BUSY",
                   "its node had no hand free for it in time, and has not begun it; try again");
}

Error CallTable::why_it_waits(const Entry& entry, MonoTime now) const {
  if (!entry.call.node.empty()) return why_its_node_waits(entry.call, now);
  const bool some =
      std::ranges::any_of(nodes_, [&](const auto& each) { return takes_shared(each.second, now); });
  if (!some) return no_node("");
  const CallCounts has = held(now);
  const size_t total = places(now);
  const ShareHolder told = who_holds(has, entry.call.caller, most_of_one(now));
  if (told.count >= most_of_one(now))
    return try_later("NODES_BUSY",
                     cat(told.who, " ", told.count, " of ", total, " places, as many as one ",
                         told.whose, " may; try again when one of these has ended"));
  return try_later("NODES_BUSY", "every place for such calls is taken; try again");
}

Load CallTable::load(MonoTime now) const {
  Load out;
  out.places = places(now);
  for (const auto& [caller, count] : held(now)) out.running += count;
  for (const CallId& id : queue_) {
    if (calls_.at(id).call.node.empty()) ++out.waiting;
  }
  return out;
}

}  // namespace paddock::calls
