// Sends what a run's command leaves: after its result, and what it has finished while it lives.
#pragma once

#include <string>
#include <vector>

#include "node-agent/executor/finished_sender.h"
#include "node-agent/executor/step.h"
#include "node-agent/executor/workspace_step.h"

namespace paddock::executor {

class ArtifactCollector {
 public:
  // Both outlive it.
  ArtifactCollector(const StepContext& run, const WorkspaceStep& workspace)
      : run_(run), workspace_(workspace), finished_(run.ports, run.folder, run.assignment) {}

  // Whether anything may come back at all.
  bool wanted() const { return !run_.assignment.spec.artifacts.dirs.empty(); }
  // Until the command is `over`, beside the thread that follows it.
  void send_finished(StopSignal& over);
  // Once its mounts are gone. Names the artifacts in the outcome, and what was left out; a loss
  // that somebody can mend makes a success a failure.
  Status collect(contracts::RunOutcome& outcome);

 private:
  artifacts::CollectRequest request_for_finished();
  Result<artifacts::CollectRequest> request_for_all();
  std::vector<std::string> types() const;
  Status send_all(int root, artifacts::Collected& collected, contracts::RunOutcome& outcome);
  Status send(int root, const contracts::Artifact& artifact, RunTransport& controller) const;

  const StepContext& run_;
  const WorkspaceStep& workspace_;
  const FinishedSender finished_;
};

}  // namespace paddock::executor
