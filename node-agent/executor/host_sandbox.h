// Whether this host can set up the sandboxes that it said it could: asked where one could not be
// set up, which may be the host's fault as well as the run's. Thread-safe.
#pragma once

#include "common/base/time.h"
#include "node-agent/executor/stop_signal.h"

namespace paddock::executor {

class HostSandbox {
 public:
  virtual ~HostSandbox() = default;
  // Whether it can do less than it could at `since`. Waits until that was tried, after this call;
  // false once `stop` is at least kCancel.
  virtual bool lost_since(MonoTime since, StopSignal& stop) = 0;
  // The same, to be found out by the node for itself. Waits for nothing.
  virtual void doubt() = 0;
};

}  // namespace paddock::executor
