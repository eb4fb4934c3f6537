// A step on the way to the launch of a run's command: one thing that the command needs, such as its
// workspace or its accelerators. launch_steps.h has all of them in their order. Of the run's own
// thread, unless a step says otherwise.
#pragma once

#include <memory>

#include "common/contracts/launch.h"
#include "node-agent/executor/executor_ports.h"
#include "node-agent/executor/run_folder.h"
#include "node-agent/executor/run_log.h"
#include "node-agent/executor/stop_signal.h"
#include "node-agent/executor/tree_fetch.h"

namespace paddock::executor {

class Step {
 public:
  Step() = default;
  virtual ~Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // Fetches, builds or takes what the command needs. Whatever of the outside can fail fails here,
  // before anything of the launch is made. An agent that is killed meanwhile begins anew.
  virtual Status prepare() { return {}; }
  // Puts what was prepared into the request.
  virtual Status add(contracts::LaunchRequest& request) {
    (void)request;
    return {};
  }
  // The command of an earlier agent still runs: takes again what the record says that it holds.
  virtual void take_again() {}
  // Gives back what it holds for the command, which has ended or will not start. Harmless where
  // there is nothing.
  virtual void undo() {}
};

// The objects that the steps of one run share. All of them outlive the steps.
struct StepContext {
  const ExecutorPorts& ports;
  const RunFolder& folder;
  const contracts::Assignment& assignment;
  RunRecord& record;  // where a step notes what a later agent has to know
  StopSignal& stop;
  TreeFetch& fetch;
  RunLog& log;
  MonoTime accepted;  // by this process; else long ago

  // A connection to the controller. Its calls are repeated until the run is stopped in this way.
  std::unique_ptr<RunTransport> transport(StopKind give_up) const;
};

}  // namespace paddock::executor
