// Which call waits, which was given to whom, and what became of it. Pure: no clock but the times
// that come in, no lock, no thread. A call is given at most once, whatever is lost, repeated or
// late.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/contracts/calls.h"
#include "controller/calls/fair_share.h"

namespace paddock::calls {

struct LaneKey {
  std::string node;
  std::string process;
  int64_t lane = 0;
  friend auto operator<=>(const LaneKey&, const LaneKey&) = default;
};

using CallId = std::string;

struct Limits {
  size_t waiting_calls = 256;
  size_t waiting_bytes = size_t{64} << 20;
  // A node that is away for so long has lost what it was given: after its agent has hung up, and
  // after it was answered and asks nothing, as one does that a busy or paused host lets wait.
  Millis gone_after{3'000};
  Millis silent_after{15'000};
  size_t slowest_link = 256;  // bytes in a millisecond: how long a call may be on its way to a node
  Millis longest_way{60'000};
  Millis longest_pace{3'000};  // that a node's request is held for the slowest caller
};

struct NewCall {
  std::string kind;
  wire::Value payload;
  size_t bytes = 0;           // of the payload, about
  std::string node = {};      // who alone can do it; empty: any
  std::string caller = {};    // whose share it counts for; empty: nobody's
  bool awaits_nodes = false;  // it waits also where no node that could take it is there
};

// How many calls there are that any node can do.
struct Load {
  size_t waiting = 0;
  size_t running = 0;
  size_t places = 0;  // that nodes say they have; 0: they do not say
};

// The callers and lanes that have to be woken, as something changed for them.
struct Wakes {
  std::vector<CallId> callers;
  std::vector<LaneKey> lanes;
};

// Bytes of memory that it takes, about.
size_t weight_of(const wire::Value& value);
size_t weight_of(const std::vector<contracts::CallPiece>& pieces);
// How large the pieces of one request may be together: twice what an agent sends at once.
inline constexpr size_t kMostPieces = size_t{16} << 20;

class CallTable {
 public:
  explicit CallTable(Limits limits = {}) : limits_(limits) {}

  // --- for callers ---
  // Unavailable: NO_NODE if no such node takes calls; ResourceExhausted: TOO_MANY_CALLS wait, of
  // this caller or of all.
  Status submit(const CallId& id, NewCall call, MonoTime now, Wakes& wakes);
  // The outcome of a call, which can be taken once; nothing if there is none yet.
  std::optional<Result<wire::Value>> take_outcome(const CallId& id, MonoTime now);
  // Parts of its answer that came since they were asked for last.
  std::vector<wire::Value> take_pieces(const CallId& id);
  // The parts that were taken have been written to the caller.
  void note_written(const CallId& id);
  // Whether the node may send more parts now: few wait to be taken or to be written, and with few
  // bytes.
  bool has_room(const CallId& id) const;
  // Asks the call to end soon; its outcome is still delivered. NotFound: CALL_NOT_FOUND.
  Status stop(const CallId& id, Wakes& wakes);
  // The caller is gone: the call is dropped, and the node that has it is told to end it.
  void cancel(const CallId& id, Wakes& wakes);
  // Whether it still waits for a node.
  bool waits(const CallId& id) const;
  // Whether it does, and there is no node that could take it.
  bool awaits_nodes(const CallId& id, MonoTime now) const;
  // Gives up a call that still waits for a node; it is never begun. Returns why: ResourceExhausted
  // (NODES_BUSY) or Unavailable (NO_NODE). Nothing: the call does not wait.
  std::optional<Error> give_up(const CallId& id, MonoTime now);
  // This process was away until now: no node was silent meanwhile.
  void was_away(MonoTime now);
  // The node that it was given to; empty: none.
  std::string holder(const CallId& id) const;

  // --- for lanes ---
  // An answer is taken, and a lost call given up. The lane waits once it is eligible.
  // Conflict, SESSION_SUPERSEDED: a newer agent process speaks for this node.
  Status open(const LaneKey& lane, const contracts::CallsRequest& request, Wakes& wakes);
  // The node of this lane sends parts of answers until `until`, whether it holds a lane or not: its
  // silence counts from then.
  void hear(const LaneKey& lane, MonoTime until);
  // Parts of answers to calls that were given to this node.
  void pass_on(const LaneKey& lane, const std::vector<contracts::CallPiece>& pieces, Wakes& wakes);
  // The answer to this lane; none if there is nothing to say to it yet.
  std::optional<contracts::CallsAnswer> poll(const LaneKey& lane);
  enum class RequestEnd { kAnswered, kHungUp };
  // The lane's request is over. A call that it was given and that no poll() has told it of goes to
  // another one.
  void close(const LaneKey& lane, RequestEnd how, MonoTime now, Wakes& wakes);
  // Whether the node may take calls that any node can do: not while it is cordoned, say.
  void set_eligible(const LaneKey& lane, bool eligible, Wakes& wakes);

  // Nodes that take calls now, with what they said they can do.
  std::vector<contracts::SnippetSkills> skills(MonoTime now) const;
  Load load(MonoTime now) const;

 private:
  // How many parts of an answer are kept: those that wait, and those that were taken and are not
  // written yet.
  struct Kept {
    size_t pieces = 0;
    size_t bytes = 0;
    void add(size_t weight) {
      ++pieces;
      bytes += weight;
    }
  };
  struct Entry {
    NewCall call;
    std::optional<LaneKey> given;
    bool picked_up = false;  // its lane's answer has been made
    bool stopped = false;    // it is to end, whoever has heard that already
    std::vector<wire::Value> pieces;
    Kept kept;
    int64_t last_piece = 0;
    std::optional<Result<wire::Value>> outcome;
  };
  struct Node {
    std::string process;
    int64_t generation = 0;
    std::set<int64_t> open;           // lanes whose request is held now
    std::set<CallId> drops;           // told to every lane until heard
    bool eligible = false;            // as it was said last
    std::optional<MonoTime> gone_at;  // unless something is heard of it; nothing: it holds a lane
    std::optional<contracts::SnippetSkills> skills;
    size_t places = 0;  // for calls that are for it alone; 0: it does not say
    bool does_snippets() const { return !skills || skills->enabled; }
  };
  struct Lane {
    CallId call;                           // given to it; empty: none
    std::optional<std::string> shared_by;  // its caller, if any node could have had it
    std::optional<std::string> place_of;   // its caller, if it takes a place of its own node
    bool takes = false;
    bool snippets = true;
    bool eligible = false;
    uint64_t idle_as = 0;  // its number in idle_; 0: it is not in it
  };
  bool present(const Node& node, MonoTime now) const;
  void stays(Node& node, MonoTime until) const;
  Millis way_of(const LaneKey& lane) const;
  bool any_present(const std::string& node, MonoTime now) const;
  void tell_to_end(const CallId& id, const LaneKey& holder, Wakes& wakes);
  Status begin_process(const LaneKey& lane, int64_t generation, Wakes& wakes);
  void settle(const LaneKey& lane, const std::optional<contracts::CallAnswer>& answer,
              Wakes& wakes);
  void finish(const CallId& id, Result<wire::Value> outcome, Wakes& wakes);
  void leave_queue(const CallId& id, const Entry& entry);
  bool take_back(const CallId& id, Wakes& wakes);
  void drop_unknown(const LaneKey& lane, const std::vector<CallId>& holds);
  static void let_go(Lane& lane);
  void see(MonoTime now) { latest_ = std::max(latest_, now); }
  // call_turns.cc: who waits, and who is given what.
  Status check_room(const NewCall& call) const;
  std::optional<LaneKey> take_lane(const Entry& entry);
  bool takes_shared(const Node& node, MonoTime now) const;
  void give(Wakes& wakes);
  void give_to_own_nodes(Wakes& wakes);
  void give_in_turn(Wakes& wakes);
  void hand_over(const CallId& id, const LaneKey& lane, Wakes& wakes);
  size_t places(MonoTime now) const;
  // Counts, for each caller, the calls under way that any node can do. A canceled call counts until
  // its node lets go of it.
  CallCounts held(MonoTime now) const;
  // The same for the calls of this node alone that take a place there.
  CallCounts held_on(const std::string& node) const;
  size_t most_of_one(MonoTime now) const;
  size_t most_on(const std::string& node) const;
  Error why_its_node_waits(const NewCall& call, MonoTime now) const;
  Error why_it_waits(const Entry& entry, MonoTime now) const;
  void stop_waiting(const LaneKey& lane);

  Limits limits_;
  std::map<CallId, Entry> calls_;
  std::deque<CallId> queue_;
  size_t queued_bytes_ = 0;
  std::map<std::string, Node> nodes_;
  std::map<LaneKey, Lane> lanes_;
  std::map<uint64_t, LaneKey> idle_;  // the one that has waited longest is first
  uint64_t arrivals_ = 0;             // in idle_
  Turns turns_;
  MonoTime latest_{};  // of the times that came in
};

}  // namespace paddock::calls
