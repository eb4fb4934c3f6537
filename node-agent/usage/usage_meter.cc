#include "node-agent/usage/usage_meter.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"
#include "node-agent/usage/processes.h"

namespace paddock::usage {
namespace {

using contracts::Use;
using devices::AcceleratorLoad;

// The first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks. What a
// guest used is within user.
std::optional<int64_t> busy_ns(const std::string& stat) {
  if (!stat.starts_with("cpu ")) return std::nullopt;
  const std::string line = stat.substr(4, stat.find('\n') - 4);
  const std::vector<std::string> fields = split(trim(line), ' ');
  if (fields.size() < 7) return std::nullopt;
  int64_t ticks = 0;
  for (const size_t i : std::to_array<size_t>({0, 1, 2, 5, 6}))
    ticks += parse_integer<int64_t>(fields[i]).value_or(0);
  return ticks * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

std::optional<wire::Quantity> used_memory(const std::string& meminfo) {
  const auto total = value_after(meminfo, "MemTotal");
  const auto available = value_after(meminfo, "MemAvailable");
  if (!total || !available || *available > *total) return std::nullopt;
  return wire::Quantity{(*total - *available) * 1024};
}

std::vector<std::string> ids_of(const std::vector<AcceleratorLoad>& loads) {
  std::vector<std::string> ids;
  for (const AcceleratorLoad& each : loads) ids.push_back(each.id);
  return ids;
}

Use use_of(const Counters& counters, std::optional<int64_t> cpu_milli) {
  Use use;
  use.cpu_milli = cpu_milli;
  if (counters.memory) use.memory = wire::Quantity{*counters.memory};
  use.tasks = counters.tasks;
  return use;
}

}  // namespace

std::optional<int64_t> CpuRate::look(std::optional<int64_t> cpu_ns, MonoTime now) {
  const auto before = std::exchange(before_, cpu_ns);
  const Millis passed = now - std::exchange(then_, now);
  if (!before || !cpu_ns || *cpu_ns < *before || passed <= Millis(0)) return std::nullopt;
  return (*cpu_ns - *before) / 1000 / passed.count();
}

void add_accelerators(const std::vector<std::string>& ids,
                      const std::vector<AcceleratorLoad>& loads, Use& use) {
  if (ids.empty()) return;
  int64_t busy = 0;
  wire::Quantity memory;
  for (const std::string& id : ids) {
    const auto load = std::ranges::find(loads, id, &AcceleratorLoad::id);
    if (load == loads.end()) return;
    busy += load->busy_percent * 10;
    memory.bytes += load->memory.bytes;
  }
  use.accelerator_milli = busy;
  use.accelerator_memory = memory;
}

// Two looks are never at the same moment as the counters that they read.
std::optional<int64_t> UsageMeter::rate(CpuRate& of, std::optional<int64_t> cpu_ns,
                                        MonoTime now) const {
  const auto measured = of.look(cpu_ns, now);
  return measured ? std::optional(std::min(*measured, cores_ * 1000)) : std::nullopt;
}

Use UsageMeter::measure_node(MonoTime now) {
  Use use;
  use.cpu_milli = rate(node_cpu_, busy_ns(text_of(root_, "proc/stat")), now);
  use.memory = used_memory(text_of(root_, "proc/meminfo"));
  return use;
}

contracts::UsageReport UsageMeter::measure(const std::vector<MeasuredRun>& runs,
                                           const std::vector<AcceleratorLoad>& loads,
                                           MonoTime now) {
  contracts::UsageReport report;
  report.node = measure_node(now);
  add_accelerators(ids_of(loads), loads, report.node);
  std::map<Key, Meter> meters;
  for (const MeasuredRun& run : runs) {
    const Key key{run.uid, run.attempt, run.launcher};
    auto known = meters_.extract(key);
    if (known.empty()) {
      meters.emplace(key, Meter{RunCounters(root_, run.launcher), {}});
    } else {
      meters.insert(std::move(known));
    }
    Meter& meter = meters.at(key);
    const Counters counters = meter.counters.read();
    Use use = use_of(counters, rate(meter.cpu, counters.cpu_ns, now));
    add_accelerators(run.accelerators, loads, use);
    if (use != Use{}) report.runs.push_back({run.uid, run.attempt, use});
  }
  meters_ = std::move(meters);
  return report;
}

}  // namespace paddock::usage
