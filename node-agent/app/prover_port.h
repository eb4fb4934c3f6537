// The host's sandbox as runs ask about it.
#pragma once

#include <atomic>

#include "node-agent/executor/host_sandbox.h"
#include "node-agent/host/sandbox_prover.h"

namespace paddock::agent {

class ProverPort final : public executor::HostSandbox {
 public:
  explicit ProverPort(SandboxProver& prover) : prover_(prover) {}
  bool lost_since(MonoTime since, executor::StopSignal& stop) override {
    std::atomic<bool> give_up = false;
    const executor::StopSignal::Watch watch(stop, executor::StopKind::kCancel, [&] {
      give_up = true;
      prover_.wake();
    });
    return prover_.lost_since(since, give_up);
  }
  void doubt() override { prover_.doubt(); }

 private:
  SandboxProver& prover_;
};

}  // namespace paddock::agent
