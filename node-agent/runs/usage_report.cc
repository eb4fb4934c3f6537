#include "node-agent/runs/usage_report.h"

namespace paddock::agent {

UsageReport::UsageReport(const devices::Host& host, RunHost& runs, sync::SyncLoop& loop,
                         const Clock& clock)
    : meter_("/", host.capacity.cpu), loads_(host.loads), runs_(runs), loop_(loop), clock_(clock) {}

void UsageReport::know(const std::vector<devices::AcceleratorLoad>& loads) {
  loads_.with([&](auto& now) { now = loads; });
}

void UsageReport::tell() {
  const auto loads = loads_.with([](const auto& now) { return now; });
  loop_.set_usage(meter_.measure(runs_.measured_runs(), loads, clock_.mono()));
}

}  // namespace paddock::agent
