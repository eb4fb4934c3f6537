// Sends the files that a run has finished while it lives, in parallel with the thread that follows
// the run. So it uses only ports that any thread may use, and values that do not change while a
// command runs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "node-agent/executor/executor_ports.h"
#include "node-agent/executor/run_folder.h"
#include "node-agent/executor/stop_signal.h"

namespace paddock::executor {

class FinishedSender {
 public:
  // The arguments outlive this object.
  FinishedSender(const ExecutorPorts& ports, const RunFolder& folder,
                 const contracts::Assignment& assignment)
      : ports_(ports), folder_(folder), assignment_(assignment) {}

  // Until the command is `over`. What ends before the first look costs nothing but the waiting.
  void send(artifacts::CollectRequest request, StopSignal& over) const;
  // Paths of files that the controller has as they are now: it is asked, as it may have lost them.
  std::set<std::string> there_already(const std::vector<contracts::Artifact>& all,
                                      RunTransport& controller) const;

 private:
  void send(int root, const std::vector<contracts::Artifact>& news, RunTransport& to,
            artifacts::FinishedFiles& files, FinishedRecord& record) const;

  const ExecutorPorts& ports_;
  const RunFolder& folder_;
  const contracts::Assignment& assignment_;
};

}  // namespace paddock::executor
