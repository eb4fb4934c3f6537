// The parts of the agent that work while it runs and call each other, from when they are made until
// it stops. Making them starts the serving launchers; all other work begins in begin_work() of
// agent.cc.
#pragma once

#include <string>

#include "common/base/random.h"
#include "common/base/time.h"
#include "common/contracts/node.h"
#include "node-agent/app/config.h"
#include "node-agent/app/launchers.h"
#include "node-agent/app/prover_port.h"
#include "node-agent/app/room_settings.h"
#include "node-agent/calls/call_host.h"
#include "node-agent/devices/disk_ledger.h"
#include "node-agent/host/host_settings.h"
#include "node-agent/host/host_status.h"
#include "node-agent/host/sandbox_prover.h"
#include "node-agent/runs/run_host.h"
#include "node-agent/runs/usage_report.h"
#include "node-agent/uplink/credentials.h"
#include "node-agent/workspace/cache_keeper.h"

namespace paddock::agent {

// What they are made from. All of it outlives them.
struct PartsGround {
  const AgentConfig& config;
  const Clock& clock;
  Random& random;
  const contracts::NodeBounds& bounds;
  const HostSettings& host_settings;
  const executor::ExecutorConfig& executor;
  const snippets::Setting& snippets;
  workspace::CacheKeeper& cache;
  const devices::Host& first_look;
  devices::AcceleratorLedger& accelerators;
  Credentials& credentials;
  const AgentProcess& self;
};

// In the order in which they are made. Some call others that are made after them, which is why they
// are members of one object.
class WorkingParts {
 public:
  // `status`: what the node says first.
  WorkingParts(const PartsGround& ground, contracts::NodeStatus status);
  WorkingParts(const WorkingParts&) = delete;
  WorkingParts& operator=(const WorkingParts&) = delete;

 private:
  const PartsGround ground_;

 public:
  Launchers launchers;
  CallHost calls;
  devices::DiskLedger disk;
  SandboxProver prover;
  ProverPort sandbox;
  RunHost runs;
  sync::SyncLoop loop;
  HostStatus host;
  UsageReport usage;

 private:
  void tell_shortage();
  void tell_proof(const contracts::SandboxProof& proof, const std::optional<Error>& fault);
  void act(const sync::Action& action);
};

}  // namespace paddock::agent
