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
  std::function<bool()> connected = [] { return true; };  // the caller still waits
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

  // It is to end soon; whoever waits for it learns how. NotFound: CALL_NOT_FOUND.
  Status stop(const std::string& name);

  // One request of a lane, held for its wait. `eligible` is asked every now and then.
  Result<contracts::CallsAnswer> serve(const LaneKey& lane, const contracts::CallsRequest& request,
                                       const std::function<bool()>& eligible,
                                       const std::function<bool()>& connected, const Clock& clock);

  // Whether a node may be given anything, as it was said of this version of what is known of nodes.
  std::optional<bool> known_eligible(const std::string& node, uint64_t version) const;
  void know_eligible(const std::string& node, uint64_t version, bool eligible);

  std::vector<contracts::SnippetSkills> skills(const Clock& clock) const;
  Load load(const Clock& clock) const;

 private:
  using Signal = std::shared_ptr<std::condition_variable>;
  struct State {
    explicit State(Limits limits) : table(limits) {}
    CallTable table;
    std::map<CallId, Signal> callers;
    std::map<std::string, CallId> names;
    std::map<LaneKey, Signal> lanes;
  };
  struct Known {
    uint64_t version = 0;
    std::map<std::string, bool> eligible;  // at that version
  };
  // Does it, and wakes whom it concerns once they can go on: not while we hold the lock.
  Status change(const std::function<Status(State&, Wakes&)>& what);
  static std::vector<Signal> signals_of(const State& state, const Wakes& wakes);
  Result<wire::Value> wait_for_outcome(const CallId& id, const CallOptions& options,
                                       std::condition_variable& signal, const Clock& clock);

  Guarded<State> table_;
  Guarded<Known> known_;
};

}  // namespace paddock::calls
