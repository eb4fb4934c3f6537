// Measures how much the host and its runs use whenever it is asked: processors over the time since
// it was asked last, everything else at that moment. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/usage.h"
#include "node-agent/devices/accelerator.h"
#include "node-agent/usage/run_counters.h"

namespace paddock::usage {

// Thousandths of a core between two looks at a counter of nanoseconds.
class CpuRate {
 public:
  // The use since the last look; nothing at the first look, and if the counter went back.
  std::optional<int64_t> look(std::optional<int64_t> cpu_ns, MonoTime now);

 private:
  std::optional<int64_t> before_;
  MonoTime then_{};
};

struct MeasuredRun {
  std::string uid;
  int64_t attempt = 0;
  pid_t launcher = 0;
  std::vector<std::string> accelerators;
};

class UsageMeter {
 public:
  // `root`: "/" in production. `cores`: of this host; no rate is beyond that.
  UsageMeter(std::string root, int64_t cores) : root_(std::move(root)), cores_(cores) {}
  contracts::UsageReport measure(const std::vector<MeasuredRun>& runs,
                                 const std::vector<devices::AcceleratorLoad>& loads, MonoTime now);

 private:
  struct Meter {
    RunCounters counters;
    CpuRate cpu;
  };
  using Key = std::tuple<std::string, int64_t, pid_t>;
  contracts::Use measure_node(MonoTime now);

  std::optional<int64_t> rate(CpuRate& of, std::optional<int64_t> cpu_ns, MonoTime now) const;

  const std::string root_;
  const int64_t cores_;
  CpuRate node_cpu_;
  std::map<Key, Meter> meters_;
};

// Adds the load of these accelerators together; nothing if one of them is not measured. Pure.
void add_accelerators(const std::vector<std::string>& ids,
                      const std::vector<devices::AcceleratorLoad>& loads, contracts::Use& use);

}  // namespace paddock::usage
