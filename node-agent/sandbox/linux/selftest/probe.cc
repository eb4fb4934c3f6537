// Proves what this host can enforce by trying what must not work, in real sandboxes.
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/linux/selftest/canary_launches.h"

namespace paddock::sandbox {

namespace {

// The proof of a host on which nothing could be tried, so that it says nothing of single canaries.
contracts::SandboxProof untried(const Error& why) {
  contracts::Canary canary;
  canary.name = "bait";
  canary.capability = "sandbox";
  canary.attempt = "lay out what canaries reach for";
  canary.expected = "files and listeners of the host";
  canary.got = why.reason;
  canary.remedy = why.message;
  return {{{"sandbox", false, "", why.message}}, {std::move(canary)}};
}

}  // namespace

contracts::SandboxProof probe(const Clock& clock) {
  const CanaryFindings findings = run_canaries(clock);
  if (findings.no_bait) return untried(*findings.no_bait);
  contracts::SandboxProof proof;
  proof.canaries = judge(findings, read_host_settings());
  proof.capabilities = proven(findings, proof.canaries);
  return proof;
}

}  // namespace paddock::sandbox
