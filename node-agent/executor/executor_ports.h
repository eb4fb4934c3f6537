// The parts of the node that each run's life needs: settings, stores, ledgers, and whom it
// notifies.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/base/time.h"
#include "common/contracts/sync.h"
#include "node-agent/artifacts/collect.h"
#include "node-agent/artifacts/finished_files.h"
#include "node-agent/devices/accelerator_ledger.h"
#include "node-agent/devices/disk_ledger.h"
#include "node-agent/devices/processor_ledger.h"
#include "node-agent/executor/host_sandbox.h"
#include "node-agent/executor/launch_intents.h"
#include "node-agent/executor/launch_server.h"
#include "node-agent/executor/transport.h"
#include "node-agent/runtimes/environment.h"
#include "node-agent/workspace/tree_cache.h"

namespace paddock::executor {

// A tree that is laid beneath the run's folder costs the kernel some seven files for each run, and
// a mount; one that is copied, each of its own.
struct SmallTree {
  size_t files = 8;
  int64_t bytes = 256 << 10;
  bool holds(const contracts::Tree& tree) const;
};

struct ExecutorConfig {
  std::string runs_dir;
  std::string intents_file;
  std::string sandbox_program;
  runtimes::EnvironmentConfig environments;
  artifacts::CollectLimits artifacts;
  artifacts::FinishedLimits finished;
  Millis look_every{5'000};            // for files that a run has finished while it lives
  std::optional<uid_t> sandbox_uid;    // who runs commands here, if not we
  contracts::NodeBounds bounds;        // what this node lets a policy ask for
  contracts::NetworkSettings network;  // for policies that may enable it
  SmallTree copied;                    // larger ones are laid, where the host can
  std::string library_dir;  // seen by code runs at the same path; empty: the host has none
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // A snapshot without output, and the highest output seq there is.
  virtual void observed(const contracts::RunReport& report, int64_t last_seq) = 0;
};

struct ExecutorPorts {
  const ExecutorConfig& config;
  const cas::BlobStore& store;
  TransportFactory transport;
  RunObserver& observer;
  const Clock& clock;
  Random& random;  // thread-safe
  LaunchIntents& intents;
  LaunchServer* server = nullptr;         // none: each launch starts a launcher of its own
  workspace::TreeCache* trees = nullptr;  // none: each run gets a copy of its tree
  Parallel parallel = {};  // none: one blob after the other, and no file before the end
  devices::AcceleratorLedger* accelerators = nullptr;  // none: this host has none
  devices::ProcessorLedger* processors = nullptr;      // none: each launcher chooses
  devices::DiskLedger* disk = nullptr;                 // none: nobody asks for room beforehand
  HostSandbox* sandbox = nullptr;  // none: what cannot be set up is the run's fault
};

}  // namespace paddock::executor
