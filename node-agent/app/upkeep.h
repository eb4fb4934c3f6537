// The agent's periodic work beside its runs: looks at the host and its disk, measures what is used,
// prunes, replaces the launchers and the credential.
#pragma once

#include "node-agent/app/config.h"
#include "node-agent/app/launchers.h"
#include "node-agent/app/look_pace.h"
#include "node-agent/base/regularly.h"
#include "node-agent/calls/call_host.h"
#include "node-agent/host/host_fault.h"
#include "node-agent/host/host_look.h"
#include "node-agent/host/host_status.h"
#include "node-agent/host/known_folders.h"
#include "node-agent/host/launcher_watch.h"
#include "node-agent/host/sandbox_prover.h"
#include "node-agent/runs/usage_report.h"
#include "node-agent/uplink/credentials.h"
#include "node-agent/workspace/cache_keeper.h"

namespace paddock::agent {

// The parts that the periodic work uses; all of them outlive it.
struct AgentParts {
  const AgentConfig& config;
  const Clock& clock;
  HostLook& look;
  HostStatus& host;
  devices::AcceleratorLedger& accelerators;
  devices::DiskLedger& disk;
  workspace::CacheKeeper& cache;
  Launchers& launchers;
  RunHost& runs;
  CallHost& calls;
  UsageReport& usage;
  Credentials& credentials;
  SandboxProver& prover;
  bool proof_is_older;  // of an earlier process: made again at once
};

// Each in a thread of its own, until destroyed.
class Upkeep {
 public:
  explicit Upkeep(const AgentParts& parts);
  ~Upkeep() { parts_.prover.stop(); }
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

 private:
  void use_new_launcher();
  void look_again();
  void tend_disk();
  void try_host();
  void watch_trial();

  const AgentParts parts_;
  const HostSettings settings_;
  KnownFolders folders_;
  HostTrial trial_;
  LookPace pace_;
  // They use the others.
  Regularly pruning_;
  LauncherWatch watching_;
  Regularly looking_;
  Regularly measuring_;
  Regularly tending_;
  Regularly trying_;
  Regularly watching_trial_;
  CredentialKeeper keeper_;
};

}  // namespace paddock::agent
