// One simulated host: a disk that survives, runs that go on while no agent process is there, and
// the agent process itself: the production sync core, and the rules that its loop keeps. What
// happens here is written down twice: on the disk, which the agent reads back, and by the witness,
// which only the invariants read.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "controller/nodes/leases.h"
#include "controller/store/store.h"
#include "node-agent/sync/sync_core.h"

namespace paddock::simulation {

enum class Stage { kAccepted, kMarked, kStarted, kEnded };  // kMarked: about to be started

struct SpooledRun {
  Stage stage = Stage::kAccepted;
  bool cancel = false;
  int64_t lines_left = 0;           // output still to come before it ends
  std::vector<std::string> lines;   // everything written so far; seq is the index + 1
  std::vector<std::string> inputs;  // given to it so far; seq is the index + 1
  contracts::RunOutcome outcome;    // of an ended one
};

struct Disk {
  int64_t generation = 0;
  std::map<sync::RunKey, SpooledRun> runs;
};

// Everything that ever happened to the runs on this host, by attempt_key().
struct Witness {
  std::map<std::string, int> starts;
  std::map<std::string, std::vector<std::string>> written;
  std::map<std::string, std::vector<std::string>> given;  // what it read
  std::map<std::string, contracts::RunOutcome> ends;
  std::map<std::string, contracts::RunOutcome> refusals;  // of what it could not even take on
  std::vector<sync::RunKey> dropped;                      // in order
};

// Bugs planted on purpose, to show that the invariants see them. None by default.
struct Tampering {
  std::function<void(Disk&)> disk_after_crash;
  std::function<void(contracts::SyncRequest&)> request;
  std::function<void(contracts::SyncAnswer&)> answer;
  std::function<void(sync::Call&, sync::SyncCore&)> call_before_answer;
  std::function<void(store::Store&, const nodes::LeaseTable&, nodes::Now)> before_tick;
  bool looks_at_no_watch = false;  // the controller does not notice that it stood still
  bool disk_lies = false;          // what it refuses is said to be kept
};

struct Sent {
  uint64_t id = 0;
  contracts::SyncRequest body;
};

class AgentHost : private sync::OutputReader {
 public:
  // `refuses`: in a hundred, runs that it cannot begin.
  AgentHost(std::string name, contracts::NodeStatus status, Random& random,
            const Tampering& tampering, uint64_t refuses = 0);

  const std::string& name() const { return name_; }
  const contracts::NodeStatus& status() const { return status_; }
  const Witness& witness() const { return witness_; }
  bool up() const { return core_.has_value(); }

  void start(WallTime now);  // a new agent process with the old disk
  void crash();
  void work();     // the commands write and end; with an agent, waiting ones start
  void observe();  // the agent looks at some of its runs, now and then at an old report of one
  // What the answers so far ask for, one after another; false: nothing is left to do.
  bool act();

  // The lane's next call, if the core wants one and none is in flight.
  std::optional<Sent> call(sync::Lane lane, MonoTime now);
  bool awaits(uint64_t id) const;
  std::optional<MonoTime> waiting_since(sync::Lane lane) const;
  void answered(uint64_t id, const Result<contracts::SyncAnswer>& answer, MonoTime now);
  void give_up(sync::Lane lane, MonoTime now);  // the connection broke

 private:
  struct InFlight {
    uint64_t id = 0;
    sync::Call call;
  };
  std::vector<contracts::OutputChunk> read(const sync::RunKey& key, int64_t after,
                                           size_t max_bytes) override;
  void end(const sync::RunKey& key, contracts::RunPhase phase, const std::string& reason);
  void advance(const sync::RunKey& key, SpooledRun& run);
  void give(const sync::GiveInput& input);
  void begin(const contracts::Assignment& assignment);
  bool refuse(const sync::RunKey& key);
  void drop(const sync::RunKey& key);
  void settle(const sync::Call& call, const Result<contracts::SyncAnswer>& answer, MonoTime now);

  std::string name_;
  contracts::NodeStatus status_;
  Random& random_;
  const Tampering& tampering_;
  Disk disk_;
  Witness witness_;
  uint64_t calls_ = 0;
  // The process: gone in a crash.
  std::optional<sync::SyncCore> core_;
  std::map<sync::Lane, InFlight> in_flight_;
  std::deque<sync::Action> to_do_;
  std::deque<std::pair<contracts::RunReport, int64_t>> old_reports_;
  const uint64_t refuses_;
  SeededRandom local_faults_;  // of their own: other faults stay where they are
};

std::string attempt_key(const std::string& run_uid, int64_t attempt);

}  // namespace paddock::simulation
