// The use of the host, its accelerators and its runs, measured periodically and reported to the
// controller.
#pragma once

#include <vector>

#include "common/base/guarded.h"
#include "node-agent/devices/probe.h"
#include "node-agent/runs/run_host.h"

namespace paddock::agent {

class UsageReport {
 public:
  UsageReport(const devices::Host& host, RunHost& runs, sync::SyncLoop& loop, const Clock& clock);
  // Takes in the loads that the driver reports; any thread.
  void know(const std::vector<devices::AcceleratorLoad>& loads);
  // Only one thread calls it.
  void tell();

 private:
  usage::UsageMeter meter_;
  Guarded<std::vector<devices::AcceleratorLoad>> loads_;
  RunHost& runs_;
  sync::SyncLoop& loop_;
  const Clock& clock_;
};

}  // namespace paddock::agent
