// Proves what this host can enforce by trying what must not work, in real sandboxes.
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/linux/selftest/canary_launches.h"

namespace paddock::sandbox {

contracts::SandboxProof probe(const Clock& clock) {
  const CanaryFindings findings = run_canaries(clock);
  contracts::SandboxProof proof;
  proof.canaries = judge(findings, read_host_settings());
  proof.capabilities = proven(findings, proof.canaries);
  return proof;
}

}  // namespace paddock::sandbox
