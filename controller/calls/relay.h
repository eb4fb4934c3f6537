// Brings callers and nodes together: a caller's handler waits for the outcome of its call, a lane's
// for a call. Thread-safe; starts no thread. What is decided is decided by CallTable.
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
#include "controller/base/disconnect_token.h"
#include "controller/calls/call_table.h"

namespace paddock::calls {

struct CallOptions {
  std::string name = {};    // to stop it by; one call of a name at a time
  std::string caller = {};  // whose share it counts for
  std::string node = {};    // who alone can do it; empty: any
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
};

class Relay {
 public:
  explicit Relay(Limits limits = {}) : table_(limits) {}

  // The node's result. Unavailable: NO_NODE, NODE_LOST, CALL_LOST, or the node's own reason;
  // ResourceExhausted: TOO_MANY_CALLS, NODES_BUSY; DeadlineExceeded: NO_ANSWER, CALLER_GONE;
  // AlreadyExists: CALL_EXISTS.
  Result<wire::Value> call(CallOptions options, const Clock& clock, Random& random);

  // Asks a call to end soon; its caller gets the outcome. NotFound: CALL_NOT_FOUND.
  Status stop(const std::string& name);

  // Serves one request of a lane and holds it until there is a call or its wait is over. `eligible`
  // says whether the node may be given calls; it is asked at the beginning, and again after each
  // change of the node.
  Result<contracts::CallsAnswer> serve(const LaneKey& lane, const contracts::CallsRequest& request,
                                       const std::function<bool()>& eligible,
                                       const DisconnectToken& agent, const Clock& clock);

  // The stored Node object has changed.
  void node_changed(const std::string& node);
  // Whether a node may be given anything, if it was said since it changed last.
  std::optional<bool> known_eligible(const std::string& node) const;
  // Notes whether the node may be given calls, as it was read after so many `changes` of any node.
  void know_eligible(const std::string& node, uint64_t changes, bool eligible);
  uint64_t changes() const;

  std::vector<contracts::SnippetSkills> skills(const Clock& clock) const;
  Load load(const Clock& clock) const;

 private:
  // A thread that is held, and what it has to hear besides what the table has for it.
  struct Held {
    std::condition_variable changed;
    bool gone = false;  // whoever it is held for
    bool asks = true;   // of a lane: whether its node may take calls
  };
  using HeldPtr = std::shared_ptr<Held>;
  struct State {
    explicit State(Limits limits) : table(limits) {}
    CallTable table;
    std::map<CallId, HeldPtr> callers;
    std::map<std::string, CallId> names;
    std::map<LaneKey, HeldPtr> lanes;
  };
  struct Known {
    uint64_t changes = 0;
    std::map<std::string, bool> eligible;
  };
  // Does it, and wakes whom it concerns once they can go on: not while we hold the lock.
  Status change(const std::function<Status(State&, Wakes&)>& what);
  static std::vector<HeldPtr> held_of(const State& state, const Wakes& wakes);
  DisconnectWatch watch(const DisconnectToken& client, const HeldPtr& held);
  Result<wire::Value> wait_for_outcome(const CallId& id, const CallOptions& options, Held& held,
                                       const Clock& clock);
  std::optional<contracts::CallsAnswer> wait_for_call(const LaneKey& lane, const HeldPtr& held,
                                                      const std::function<bool()>& eligible,
                                                      const DisconnectToken& agent, MonoTime end,
                                                      const Clock& clock);

  Guarded<State> table_;
  Guarded<Known> known_;
};

}  // namespace paddock::calls
