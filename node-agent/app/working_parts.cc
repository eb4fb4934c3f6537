#include "node-agent/app/working_parts.h"

#include <memory>
#include <utility>

#include "common/http/http_client.h"
#include "node-agent/host/node_status.h"
#include "node-agent/uplink/controller_ports.h"

namespace paddock::agent {
namespace {

sync::CallLimits call_limits(const Credentials& credentials) {
  return {.servers = http::servers_of(credentials.endpoint())};
}

}  // namespace

WorkingParts::WorkingParts(const PartsGround& ground, contracts::NodeStatus status)
    : ground_(ground),
      launchers(ground.config, ground.clock),
      calls(
          {ground.snippets, session_setting_of(ground.config, ground.bounds)}, ground.config.name,
          launchers.snippets, launchers.sessions, ground.self,
          [this] { return ground_.credentials.endpoint(); },
          {[this](const std::string& run) { return runs.open_workspace(run); },
           [this](const std::string& run) { return runs.open_to_write(run); },
           [this](const std::string& run) { return runs.exec_socket(run); }},
          [this] { sandbox.doubt(); }, ground.clock),
      disk(ground.config.data_dir, ground.config.min_free.bytes, [this] { tell_shortage(); }),
      prover([this](int stop) { return prove(ground_.host_settings, stop); }, proof_of(status),
             [this](const contracts::SandboxProof& proof, const std::optional<Error>& fault) {
               tell_proof(proof, fault);
             },
             ground.clock),
      sandbox(prover),
      runs(
          ground.executor, ground.cache, ground.accelerators, disk,
          [this] {
            return std::make_unique<ClientTransport>(ground_.credentials.endpoint(),
                                                     ground_.config.name);
          },
          ground.clock, ground.random, ground.first_look.capacity.max_runs, &launchers.runs,
          sandbox,
          [this](const contracts::RunReport& report, int64_t seq) { loop.observe(report, seq); }),
      loop(sync::SyncCore(ground.self.nonce, ground.self.generation, ground.config.labels,
                          call_limits(ground.credentials)),
           runs, ground.clock, ground.random, [this](const sync::Action& action) { act(action); }),
      host(std::move(status), [this](const contracts::NodeStatus& now) { loop.set_status(now); }),
      usage(ground.first_look, runs, loop, ground.clock) {}

void WorkingParts::tell_shortage() {
  const DiskUse use = runs.disk_use();
  const auto room = devices::disk_room(ground_.config.data_dir);
  host.change_and_tell([&](contracts::NodeStatus& now) {
    take_over(room, use, ground_.host_settings.min_free, now, ground_.clock.wall());
  });
}

// What serves has found the host as it was: once the host can do more, it is replaced.
void WorkingParts::tell_proof(const contracts::SandboxProof& proof,
                              const std::optional<Error>& fault) {
  bool gained = false;
  host.change([&](contracts::NodeStatus& status) {
    gained = take_over(proof, status);
    if (fault && contracts::unfit(status) == nullptr)
      take_over_fault(fault, status, ground_.clock.wall());
  });
  if (!gained) return;
  launchers.replace();
  calls.discard_warm();
}

void WorkingParts::act(const sync::Action& action) {
  if (const auto* keep = std::get_if<sync::KeepSessions>(&action))
    return calls.sessions().keep(keep->uids);
  runs.act(action);
}

}  // namespace paddock::agent
