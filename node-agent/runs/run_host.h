// The runs on this node, one thread each, at most maxRuns of them active at once. Turns the sync
// core's actions into starts and stops, and news of the runs into observations. Thread-safe. stop()
// must be called before destruction.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "common/base/guarded.h"
#include "node-agent/disk/disk_room.h"
#include "node-agent/disk/disk_writers.h"
#include "node-agent/executor/run_life.h"
#include "node-agent/sync/sync_loop.h"
#include "node-agent/usage/usage_meter.h"
#include "node-agent/workspace/cache_keeper.h"

namespace paddock::agent {

class RunHost final : public executor::RunObserver, public sync::OutputReader {
 public:
  using Observe = std::function<void(const contracts::RunReport&, int64_t last_seq)>;
  // `cache` is the node's (see cache_keeper.h).
  RunHost(const executor::ExecutorConfig& config, workspace::CacheKeeper& cache,
          devices::AcceleratorLedger& accelerators, devices::DiskLedger& disk,
          executor::TransportFactory transport, const Clock& clock, Random& random,
          int64_t max_runs, executor::LaunchServer* server, executor::HostSandbox& sandbox,
          Observe observe);
  ~RunHost() override;

  // Goes on with every run found on disk; removes what cannot be one.
  Status recover();
  void act(const sync::Action& action);
  // The runs whose commands run now.
  std::vector<usage::MeasuredRun> measured_runs() const;
  bool is_idle() const;  // no run is here, nor the outcome of one
  // The workspace of one of these, to read: FailedPrecondition, RUN_NOT_RUNNING.
  Result<os::Fd> open_workspace(const std::string& run_uid) const;
  Result<executor::WritableWorkspace> open_to_write(const std::string& run_uid) const;
  // The socket on which a run's launcher takes commands to be executed in the run.
  // FailedPrecondition: RUN_NOT_RUNNING, or RUN_EXEC_UNSUPPORTED where it takes none.
  Result<std::string> exec_socket(const std::string& run_uid) const;
  // The disk that is held for files on their way, and what runs have written of the disk that they
  // asked for.
  DiskUse disk_use() const;
  // The files of runs that have ended, and whose outcome nobody has taken yet.
  void free_ended();
  // The runs that could be ended when the disk is full.
  std::vector<DiskWriter> disk_writers() const;
  // Leaves running sandboxes running and waits for the threads. Which runs were begun: all others
  // may be taken on elsewhere, as nothing of them is started here any more.
  std::set<sync::RunKey> stop();

  std::vector<contracts::OutputChunk> read(const sync::RunKey& key, int64_t after,
                                           size_t max_bytes) override;
  void observed(const contracts::RunReport& report, int64_t last_seq) override;

 private:
  using Life = std::shared_ptr<executor::RunLife>;
  Result<Life> running(const std::string& run_uid) const;
  struct Hosted {
    Life life;
    std::thread thread;
  };
  struct State {
    std::map<sync::RunKey, Hosted> runs;
    std::vector<std::thread> finished;  // of forgotten runs, to be joined
    int64_t working = 0;
    bool stopping = false;
  };
  std::vector<Life> lives() const;
  static Status remove(const std::string& folder, std::string_view lock);
  static void remove_or_say(const std::string& folder, std::string_view lock);
  Result<std::vector<std::string>> end_earlier();
  executor::ExecutorPorts ports();
  void start(const contracts::Assignment& assignment);
  Status host(Life life);
  void refuse(const contracts::Assignment& assignment, const Error& cause);
  void live(const sync::RunKey& key, const Life& life);
  bool take_slot(const Life& life);
  Life life_of(const sync::RunKey& key);
  void stop_run(const sync::RunKey& key, executor::StopKind kind);
  void forget(const sync::RunKey& key);
  void drop(const sync::RunKey& key, const Life& life);

  const executor::ExecutorConfig& config_;
  workspace::CacheKeeper& cache_;
  devices::AcceleratorLedger& accelerators_;
  devices::DiskLedger& disk_;
  devices::ProcessorLedger processors_{devices::own_processors()};
  executor::TransportFactory transport_;
  const Clock& clock_;
  Random& random_;
  int64_t max_runs_;
  executor::LaunchServer* server_;
  executor::HostSandbox& sandbox_;
  Observe observe_;
  std::unique_ptr<executor::LaunchIntents> intents_;  // from recover() on
  Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace paddock::agent
