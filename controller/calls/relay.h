// Brings callers and nodes together: a caller's thread waits for the outcome of its call, a lane
// without one for a call. Thread-safe; starts no thread. What is decided is decided by CallTable.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/random.h"
#include "common/base/suspension.h"
#include "controller/base/disconnect_token.h"
#include "controller/base/waker.h"
#include "controller/calls/call_table.h"
#include "controller/calls/taken_input.h"

namespace paddock::calls {

struct CallOptions {
  std::string name = {};  // to stop it by; one call of a name at a time
  // Whose share it counts for: the subject of a token and the namespace that it is bound to, if it
  // is. Another of that name elsewhere is another caller.
  std::string caller = {};
  std::string name_space = {};
  std::string token = {};  // of calls with names: to stop what was asked for with it
  // Calls with names of this kind that a caller may have on a node; half as many more for all whose
  // tokens are good for one namespace. 0: any.
  size_t most_alike = 0;
  std::string node = {};  // who alone can do it; empty: any
  std::string kind;
  wire::Value payload;
  size_t bytes = 0;                                       // of the payload, about
  Millis patience{0};                                     // for the outcome
  Millis queue_patience{5'000};                           // for a node to take it
  Millis arrival_patience{0};                             // for a node to come, where there is none
  DisconnectToken client = {};                            // the caller; gone: the call is canceled
  std::function<void(const wire::Value&)> on_piece = {};  // parts of the answer, as they come
  std::function<void()> meanwhile = {};  // done once, by the caller, as soon as the call is made
  std::string* holder = nullptr;         // gets the name of the node that had it
  // It is for this call: it ends with that one, unless a node has it by then.
  CallId part_of = {};
};

// A call that has a name, while it is under way.
struct NamedCall {
  CallId id;
  std::string kind;
  std::string caller;
  std::string name_space;
  std::string token;
  std::string node;
};

class Relay {
 public:
  explicit Relay(Limits limits = {}) : longest_pace_(limits.longest_pace), table_(limits) {}

  // The node's result. Unavailable: NO_NODE, NODE_LOST, CALL_LOST, or the node's own reason;
  // ResourceExhausted: TOO_MANY_CALLS, NODES_BUSY; DeadlineExceeded: NO_ANSWER, CALLER_GONE;
  // AlreadyExists: CALL_EXISTS. ResourceExhausted, TOO_MANY_COMMANDS: `most_alike`.
  Result<wire::Value> call(CallOptions options, const Clock& clock, Random& random);

  // Asks a call to end soon; its caller gets the outcome. NotFound: CALL_NOT_FOUND.
  Status stop(const std::string& name);
  // The same of every call that was asked for with this token.
  void stop_of(const std::string& token);
  std::optional<NamedCall> find(const std::string& name) const;

  // A request of a lane, from when it came until it is answered. One thread at a time; the relay
  // and the clock outlive it.
  class Lane;
  // Hands what the lane brings to its caller, and opens it for a call, for as long as the request
  // says. `eligible` says whether the node may be given calls; it is asked at the first wait, and
  // again after each change of the node. Conflict: of CallTable::open().
  Result<std::shared_ptr<Lane>> open(const LaneKey& lane, const contracts::CallsRequest& request,
                                     std::function<bool()> eligible, const Clock& clock);
  // Parts of the answer to a call that a lane was given. Waits for a caller who is slow to take
  // them; not for long. ResourceExhausted, TOO_MANY_CALLS: he has not taken them, nothing of these
  // is kept, and they are to be sent again. TooLarge, BODY_TOO_LARGE: more than kMostPieces.
  Status pass_on(const LaneKey& lane, const std::vector<contracts::CallPiece>& pieces,
                 const Clock& clock);

  // The stored Node object has changed.
  void node_changed(const std::string& node);
  // It may be that of all of them, so each lane asks anew.
  void nodes_changed();
  // Whether a node may be given anything, if it was said since it changed last.
  std::optional<bool> known_eligible(const std::string& node) const;
  // Notes whether the node may be given calls, as it was read after so many `changes` of any node.
  void know_eligible(const std::string& node, uint64_t changes, bool eligible);
  uint64_t changes() const;

  // The input that commands took which get it while they run.
  TakenInput& taken_input() { return taken_input_; }

  std::vector<contracts::SnippetSkills> skills(const Clock& clock) const;
  Load load(const Clock& clock) const;

 private:
  // A caller's thread that is held.
  struct Held {
    std::condition_variable changed;
    bool gone = false;  // whoever it is held for
  };
  using HeldPtr = std::shared_ptr<Held>;
  struct Waiting {
    std::shared_ptr<Waker> waker;  // none before the first wait
    bool asks = true;              // whether its node may take calls
  };
  struct Woken {
    std::vector<HeldPtr> callers;
    std::vector<std::shared_ptr<Waker>> lanes;
  };
  struct State {
    explicit State(Limits limits) : table(limits) {}
    CallTable table;
    std::map<CallId, HeldPtr> callers;
    std::map<std::string, NamedCall> names;
    std::multimap<CallId, CallId> parts;  // by what they are for
    std::map<LaneKey, std::shared_ptr<Waiting>> lanes;
  };
  struct Known {
    uint64_t changes = 0;
    std::map<std::string, bool> eligible;
  };
  // Does it, and wakes whom it concerns once they can go on: not while we hold the lock.
  Status change(const std::function<Status(State&, Wakes&)>& what);
  static Status check_alike(const State& state, const CallOptions& options);
  static void end_parts(State& state, const CallId& id, Wakes& wakes);
  void let_go(const CallId& id, const CallOptions& options);
  static bool has_room(const State& state, const std::vector<contracts::CallPiece>& pieces);
  void hand_on(const CallId& id, const CallOptions& options,
               const std::vector<wire::Value>& pieces);
  static Woken woken_of(const State& state, const Wakes& wakes);
  DisconnectWatch watch(const DisconnectToken& client, const HeldPtr& held);
  struct Look;
  Look look_at(const CallId& id, const CallOptions& options, Held& held, Millis most,
               SuspensionDetector& suspension, const Clock& clock);
  Result<wire::Value> wait_for_outcome(const CallId& id, const CallOptions& options, Held& held,
                                       const Clock& clock);

  const Millis longest_pace_;
  std::condition_variable room_;  // a caller has taken parts of an answer
  Guarded<State> table_;
  Guarded<Known> known_;
  TakenInput taken_input_;
};

class Relay::Lane {
 public:
  ~Lane();  // its agent has hung up, if there was no finish()
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  // How long to wait at most, for `waker`; nothing: finish() has all there will be.
  std::optional<Millis> wait(const std::shared_ptr<Waker>& waker);
  // What the node is told, once. A call that the lane was given meanwhile goes out with it, or is
  // known to be lost.
  contracts::CallsAnswer finish();

 private:
  friend class Relay;
  Lane(Relay& relay, LaneKey key, MonoTime until, std::function<bool()> eligible,
       const Clock& clock)
      : relay_(relay),
        key_(std::move(key)),
        until_(until),
        eligible_(std::move(eligible)),
        clock_(clock) {}
  // Not any more once a newer request of the lane is open: this one then says nothing and changes
  // nothing. Its node is not there to hear it.
  bool is_newest(const State& state) const;
  bool look(const std::shared_ptr<Waker>& waker);
  using RequestEnd = CallTable::RequestEnd;
  void close(State& state, RequestEnd how, Wakes& wakes);

  Relay& relay_;
  const LaneKey key_;
  const MonoTime until_;
  const std::function<bool()> eligible_;
  const Clock& clock_;
  const std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
  std::optional<contracts::CallsAnswer> answer_;
  bool open_ = false;
};

}  // namespace paddock::calls
