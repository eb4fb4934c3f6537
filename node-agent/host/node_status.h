// Puts what the agent knows of its host into the status of its node. Logs what operators should
// hear of.
#pragma once

#include "node-agent/devices/probe.h"
#include "node-agent/disk/disk_room.h"
#include "node-agent/host/host_settings.h"

namespace paddock::agent {

// Makes the first status of this host. If an earlier process proved the sandbox, that proof is
// taken over; otherwise it is tried now. Errors: SANDBOX_UNAVAILABLE; INTERRUPTED once `stop` can
// be read.
Result<contracts::NodeStatus> node_status(const HostSettings& settings, const devices::Host& host,
                                          WallTime now, int stop);

// Tries the sandbox, and keeps what that proved. Takes a second or so, and much longer on a busy
// host. Errors: SANDBOX_UNAVAILABLE; INTERRUPTED once `stop` can be read.
Result<contracts::SandboxProof> prove(const HostSettings& settings, int stop);

// The parts of it that may change while the agent runs.
void take_over(const devices::Host& host, contracts::NodeStatus& status);
// `room` as it was found before: nothing here waits for the disk.
void take_over(const std::optional<devices::DiskRoom>& room, const DiskUse& use, int64_t min_free,
               contracts::NodeStatus& status, WallTime now);
void take_over_fault(const std::optional<Error>& fault, contracts::NodeStatus& status,
                     WallTime now);
// Whether something is proven that was not before.
bool take_over(contracts::SandboxProof proof, contracts::NodeStatus& status);
// The proof that its status shows.
contracts::SandboxProof proof_of(const contracts::NodeStatus& status);

}  // namespace paddock::agent
