#include "node-agent/host/node_status.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/os/environment.h"
#include "node-agent/host/capabilities.h"
#include "node-agent/host/host_fault.h"
#include "node-agent/host/kept_proof.h"
#include "node-agent/host/sandbox_prover.h"

namespace paddock::agent {
namespace {

bool is_known_to_fail(const contracts::NodeStatus& status, const contracts::Canary& canary) {
  const auto known = std::ranges::find(status.canaries, canary.name, &contracts::Canary::name);
  return known != status.canaries.end() && !known->passed && known->got == canary.got;
}

}  // namespace

Result<contracts::SandboxProof> prove(const HostSettings& settings, int stop) {
  const std::string mark = proof_mark(settings.sandbox_program);
  auto proof = prove_sandbox(settings.sandbox_program, os::environment(), stop);
  if (!proof && proof.error().reason == "INTERRUPTED") return proof;
  // If the launcher was replaced meanwhile, nobody knows which of the two was proven.
  if (proof.ok() && !mark.empty() && proof_mark(settings.sandbox_program) == mark) {
    keep_proof(settings.data_dir, mark, *proof);
  } else {
    forget_proof(settings.data_dir);
  }
  return proof;
}

bool take_over(contracts::SandboxProof proof, contracts::NodeStatus& status) {
  const bool gained = lost_something(proof, proof_of(status));
  for (const contracts::Canary& canary : proof.canaries) {
    if (canary.passed || is_known_to_fail(status, canary)) continue;
    log_warn("a canary failed: runs that need it go to other nodes",
             {{"canary", canary.name}, {"got", canary.got}, {"remedy", canary.remedy}});
  }
  status.capabilities = std::move(proof.capabilities);
  status.canaries = std::move(proof.canaries);
  return gained;
}

contracts::SandboxProof proof_of(const contracts::NodeStatus& status) {
  return {status.capabilities, status.canaries};
}

void take_over(const devices::Host& host, contracts::NodeStatus& status) {
  const wire::Quantity disk = status.capacity.disk;  // said by what is known of its room
  status.capacity = host.capacity;
  status.capacity.disk = disk;
  status.cpu_features = host.cpu_features;
  status.devices.clear();
  for (const devices::Accelerator& each : host.accelerators)
    status.devices.push_back(each.device());
}

void take_over(const std::optional<devices::DiskRoom>& room, const DiskUse& use, int64_t min_free,
               contracts::NodeStatus& status, WallTime now) {
  const bool was_full = contracts::disk_pressure(status) != nullptr;
  tell_disk(status, room, use, min_free, now);
  const contracts::Condition* full = contracts::disk_pressure(status);
  if (full != nullptr && !was_full) {
    log_warn("no room for runs", {{"reason", full->reason}, {"message", full->message}});
  } else if (full == nullptr && was_full) {
    log_info("the disk has room for runs again");
  }
}

void take_over_fault(const std::optional<Error>& fault, contracts::NodeStatus& status,
                     WallTime now) {
  const std::string before = contracts::unfit(status) ? contracts::unfit(status)->reason : "";
  tell_fault(status, fault, now);
  const contracts::Condition* told = contracts::unfit(status);
  if (told != nullptr && told->reason != before && told->type == contracts::kHostFault)
    log_error("this node can begin no runs",
              {{"reason", told->reason}, {"message", told->message}});
}

Result<contracts::NodeStatus> node_status(const HostSettings& settings, const devices::Host& host,
                                          WallTime now, int stop) {
  contracts::NodeStatus status;
  status.ready = true;
  take_over(host, status);
  take_over(devices::disk_room(settings.data_dir), {}, settings.min_free, status, now);
  status.os = host.os;
  status.arch = host.arch;
  if (auto kept = kept_proof(settings.data_dir, settings.sandbox_program)) {
    take_over(std::move(*kept), status);
  } else {
    ASSIGN_OR_RETURN(contracts::SandboxProof proof, prove(settings, stop));
    take_over(std::move(proof), status);
  }
  auto fault = look_for_fault(settings.data_dir, settings.sandbox_program);
  if (!fault) fault = sandbox_fault(proof_of(status));
  take_over_fault(fault, status, now);
  return status;
}

}  // namespace paddock::agent
