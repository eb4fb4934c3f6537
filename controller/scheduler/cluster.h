// The scheduler's copy of nodes and runs, and its decisions about them. Callers tell it what
// changed; a pass costs in proportion to what may have become possible since the last one, not to
// how many runs wait. Pure except for its own state: no clock, no store, no thread. Deterministic:
// the same calls in the same order give the same plans. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/base/time.h"
#include "controller/scheduler/node_refusals.h"
#include "controller/scheduler/queue.h"

namespace paddock::scheduler {

struct Binding {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string node;
};

// A placed run that should make room.
struct Preemption {
  std::string uid;
  std::string by;  // namespace/name of the run that needs the room
};

struct Unplaced {
  std::string name_space;
  std::string name;
  std::string uid;
  Why why;
  int64_t position = 0;  // in the queue, from 1; 0: behind the first kToldPositions
};
// The position of a gang's member for which another member stands in the queue.
constexpr int64_t kNoPosition = -1;

// A run whose files had no room is placed by what they take for so long. Then it asks a node again,
// whatever is free there: another run may have brought the same files meanwhile.
constexpr Millis kAsksAgainAfter = std::chrono::minutes(5);
// A disk may have room for a run's bytes and not for so many files, so a node may refuse a run
// although the numbers speak for it. After the second refusal the run waits before it is placed
// again: twice as long each time, and at most the longest pause.
constexpr Millis kShortestPause = std::chrono::seconds(5);
constexpr Millis kLongestPause = std::chrono::minutes(1);
// A run goes back to the node that it is kept off if no other one could take it, after a pause that
// doubles with each refusal (runs::retry_delay). Where another one could, that is looked at again.
constexpr Millis kOthersLookedAt = std::chrono::minutes(1);
constexpr Millis kLongestUntilAskedAgain = std::chrono::minutes(10);
// A place further back is not told: each run that leaves would rewrite all behind it.
constexpr size_t kToldPositions = 100;

struct Plan {
  std::vector<Binding> bindings;
  std::vector<Preemption> preemptions;
};

// What would happen to a run if it were created now.
struct Preview {
  std::string node;     // where it would go now, of a gang its first member; empty: nowhere
  std::string message;  // why nowhere
  std::vector<NodeGroup> groups;
  bool over_quota = false;
  int64_t ahead = 0;  // waiting runs of at least its priority
};

class Cluster {
 public:
  struct Config {
    Quotas quotas;
    bool preemption = false;
  };
  explicit Cluster(Config config) : config_(std::move(config)) {}

  // --- what changed ---
  void put_node(const contracts::Node& node);
  void remove_node(const std::string& name);
  // Takes in the run as it is now: waiting, placed, or ended. An ended run counts as removed.
  void put_run(const contracts::Run& run);
  void remove_run(const std::string& uid);
  // The bounds that a grant sets for its namespace; nothing: it sets none, or is gone. Runs that
  // are placed stay, even above the new bounds.
  void put_quota(const std::string& name_space, const std::string& grant,
                 const std::optional<contracts::ComputeQuota>& quota);

  // Counts something that is no run, a session, in the quotas of its namespace, under its own uid.
  void put_charge(const std::string& uid, const std::string& name_space, const Charge& charge);
  void remove_charge(const std::string& uid);

  // --- decisions ---
  // Places what fits, at most so many runs; a gang whole or not at all, so it may exceed that. The
  // cluster has what it decides at once; if that cannot be stored, begin with a new Cluster.
  // Runs whose next attempt is due by `now` join in.
  Plan pass(WallTime now, size_t most = SIZE_MAX);
  // Explains why runs wait, for at most `most` of them. A call with `others` begins with the runs
  // that were never explained and those whose place in the queue has changed; all others follow in
  // turn. A call without `others` explains what the last one left over, then new runs: of these
  // at most `at_once` in a round, because most runs of a burst are placed before anyone asks why
  // they wait.
  std::vector<Unplaced> explain(size_t most, bool others = true, size_t at_once = SIZE_MAX);
  // The runs that were never explained are due now. A call with `others` begins a round too.
  void begin_round();
  bool has_unexplained() const { return !unexplained_.empty(); }
  // Whether a call of explain() with `others` may say something new of runs that were explained.
  bool others_may_differ() const { return waiting_ > 0 && told_version_ != version_; }
  // Whether explain() left out runs that are due, because there were more than `most`.
  bool owes_explanations() const { return !overdue_.empty(); }
  Preview preview(const contracts::Run& run);

  // --- facts ---
  size_t waiting() const { return waiting_; }
  size_t placed() const { return runs_.size() - waiting_; }
  const NodeIndex& nodes() const { return nodes_; }
  const std::map<std::string, Usage>& usage() const { return usage_; }
  const Config& config() const { return config_; }
  // The charges of the placed runs of a namespace, and of whatever else counts there.
  const Charges& charged(const std::string& name_space) const {
    return used_by(name_space).charged;
  }
  // When the next delayed attempt is due, or the next run asks again.
  std::optional<WallTime> next_due() const;
  // Runs of nodes that are not there.
  std::vector<std::string> orphans() const;
  // Everything that decisions depend on, as text. Two clusters with equal text decide alike.
  std::string fingerprint() const;

 private:
  struct Entry {
    std::string name_space;
    std::string name;
    int64_t priority = 0;
    int64_t created_ms = 0;
    DemandClasses::Id demand = 0;
    std::string node;  // empty: waiting
    int64_t not_before_ms = 0;
    int64_t longest_wait_ms = 0;  // whatever the clock does
    int64_t asks_again_ms = 0;    // for room for its files, or the node that it is kept off; 0: not
    bool others_could = false;    // take it, when it last wanted to go back
    std::string gang;             // uid of the gang that it is a member of
    int64_t gang_size = 0;
    bool queued = false;  // waiting and due; of a gang's members the first, once all are
    bool may_be_evicted = false;
    bool being_evicted = false;
  };
  using Runs = std::map<std::string, Entry>;  // by uid
  // The members of a gang that are known here. The gang stands in the queue as one, by its first
  // member, once all of them wait and are due: it holds nothing before all are placed.
  struct Gang {
    std::set<std::string> members;  // uids
    std::set<std::string> due;      // those that wait and are due
    size_t size = 0;
  };
  static bool all_wait(const Gang& gang) { return gang.due.size() == gang.size; }
  struct Head;
  struct Tenant;
  struct Victims;
  struct Occupants;
  struct Round {
    Plan plan;
    size_t most = 0;
    size_t preemptions_left = 16;
    std::unordered_map<std::string, size_t> gang_costs;  // by uid: what cost_of_gang() said
  };

  const Usage& used_by(const std::string& name_space) const;
  Entry entry_of(const contracts::Run& run);
  void enter(const std::string& uid, Entry entry);
  void leave(Runs::iterator run);
  void enqueue(const std::string& uid, Entry& entry);
  void dequeue(const std::string& uid, Entry& entry);
  void join_gang(const std::string& uid, const Entry& entry);
  void leave_gang(const std::string& uid, const Entry& entry);
  void wait_with_gang(const std::string& uid, const Entry& entry);
  void stop_waiting_with_gang(const std::string& uid, const Entry& entry);
  void place(const std::string& uid, Entry& entry, const std::string& node);
  void release(const std::string& uid, const std::string& node);
  void recount(const std::string& node);
  void wake_due(WallTime now);
  void ask_again(WallTime now);
  bool others_could(DemandClasses::Id id);
  std::optional<std::string> next_to_ask(WallTime now) const;
  void look_again(const std::string& uid, bool others, int64_t again_ms);
  void ask_otherwise(const std::string& uid, bool goes_back, int64_t again_ms);
  std::vector<Runs::iterator> who_asks_with(const std::string& uid);
  void unblock();
  bool place_level(Queue::Level& level, Round& round);
  bool step(Tenant& tenant, Round& round);
  bool place_head(const Head& head, DemandClass& wanted, Round& round);
  bool place_gang(const std::string& gang, DemandClass& wanted, Round& round);
  void bind(const std::string& uid, Entry& entry, NodeIndex::Id node, Round& round);
  std::vector<std::string> with_their_gangs(const std::vector<std::string>& victims) const;
  void make_room(const std::string& uid, const Entry& entry, Round& round);
  size_t cost_of_gang(const Gang& gang) const;
  size_t cost_of(const Entry& run, Round& round) const;
  Occupants occupants_of(const std::set<std::string>& uids, const Entry& entry, Round& round);
  std::optional<Victims> victims_on(NodeIndex::Id id, const Entry& entry, size_t below,
                                    Round& round);
  Why why(const Entry& entry);
  std::string way_back(const Entry& entry);
  Unplaced explained(const std::string& uid, const Entry& entry);
  std::optional<Unplaced> explained_by_first(const std::string& uid, const Entry& entry);
  void count_positions();
  void mark_moved();
  size_t explain_some(std::set<std::string>& uids, size_t most, std::vector<Unplaced>& out);
  void forget_unexplained(const std::string& uid);
  void explain_in_turn(size_t most, std::vector<Unplaced>& out);

  Config config_;
  NodeIndex nodes_;
  DemandClasses classes_;
  Queue queue_;
  Runs runs_;
  std::map<std::string, Gang> gangs_;  // by uid
  size_t waiting_ = 0;
  std::map<std::string, Usage> usage_;                                       // by namespace
  std::unordered_map<std::string, std::pair<std::string, Charge>> charges_;  // by uid
  std::unordered_map<std::string, std::set<std::string>> on_node_;           // uids
  std::set<std::pair<int64_t, std::string>> delayed_;                        // until, uid
  std::set<std::pair<int64_t, std::string>> asking_again_;                   // likewise
  std::set<std::string> unexplained_;                                        // newcomers
  std::set<std::string> overdue_;  // they were, a while ago
  size_t told_at_once_ = 0;
  std::string explained_up_to_;
  std::unordered_map<std::string, int64_t> positions_;  // of the first that wait
  std::unordered_map<std::string, int64_t> told_;       // those of them that were said
  uint64_t counted_version_ = 0;
  uint64_t told_version_ = 0;
  // Since the last pass: nodes on which something became free, and whether more than that changed.
  std::unordered_set<std::string> freed_;
  bool all_changed_ = true;
  uint64_t version_ = 1;
};

}  // namespace paddock::scheduler
