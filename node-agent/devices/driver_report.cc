#include "node-agent/devices/driver_report.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::devices {
namespace {

const GpuReport* report_of(const DriverReport& report, const std::string& gpu) {
  const auto found = std::ranges::find(report.gpus, gpu, &GpuReport::id);
  return found == report.gpus.end() ? nullptr : &*found;
}

void judge(Accelerator& each, const DriverReport& report) {
  if (!report.fault.empty()) {
    each.fault = report.fault;
    return;
  }
  const GpuReport* said = report_of(report, each.gpu);
  if (said == nullptr) {
    each.fault = "the driver does not list it any more";
    return;
  }
  each.fault = said->fault;
  if (each.id != each.gpu) return;  // a slice has a part of its memory
  each.memory = said->memory;
  // CUDA finds nothing on such a card.
  if (said->partitioned && each.fault.empty())
    each.fault =
        "MIG is on and it has no compute instance: `nvidia-smi mig -cgi PROFILE -C` makes one, "
        "`nvidia-smi -mig 0` turns MIG off";
}

Accelerator accelerator_of(const GpuReport& gpu) {
  Accelerator out;
  out.kind = "nvidia";
  out.id = out.gpu = gpu.id;
  out.model = gpu.model;
  out.memory = gpu.memory;
  out.fault = gpu.fault;
  out.nodes = {cat("/dev/nvidia", gpu.minor)};
  out.env["CUDA_VISIBLE_DEVICES"] = gpu.id;
  return out;
}

bool has_node(const Accelerator& each, const std::string& node) {
  return std::ranges::find(each.nodes, node) != each.nodes.end();
}

bool has_node(const std::vector<Accelerator>& all, const std::string& node) {
  return std::ranges::any_of(all, [&](const Accelerator& each) { return has_node(each, node); });
}

// The kernel's list has no UUID of a card that nobody has used since the machine started; the
// driver knows it. Else such a card would be taken for the one that had its node before.
void take_name(Accelerator& each, const DriverReport& report) {
  const auto found = std::ranges::find_if(report.gpus, [&](const GpuReport& gpu) {
    return !gpu.partitioned && !gpu.id.empty() && has_node(each, cat("/dev/nvidia", gpu.minor));
  });
  if (!each.gpu.empty() || found == report.gpus.end()) return;
  each.id = each.gpu = found->id;
  each.env["CUDA_VISIBLE_DEVICES"] = found->id;
}

// Whether two entries mean one card, even if its name has changed because it was partitioned since,
// or because its UUID is known only in one of them. Device nodes get new numbers at each start of
// the machine, so they are compared only in that last case.
bool is_same(const Accelerator& a, const Accelerator& b) {
  if (a.id == b.id) return true;
  if (!a.gpu.empty() && !b.gpu.empty()) return a.gpu == b.gpu;
  return !a.nodes.empty() && has_node(b, a.nodes.front());
}

bool is_there(const std::vector<Accelerator>& now, const Accelerator& each) {
  return std::ranges::any_of(now, [&](const Accelerator& one) { return is_same(each, one); });
}

}  // namespace

std::vector<Accelerator> judged(std::vector<Accelerator> listed, const DriverReport& report,
                                const std::vector<std::string>& shared,
                                const std::vector<std::string>& libraries) {
  for (Accelerator& each : listed) {
    take_name(each, report);
    if (!each.gpu.empty()) judge(each, report);
  }
  for (const GpuReport& gpu : report.gpus) {
    if (gpu.partitioned || gpu.minor < 0 || gpu.id.empty()) continue;
    Accelerator found = accelerator_of(gpu);
    if (has_node(listed, found.nodes.front())) continue;  // never one card twice
    std::ranges::copy(shared, std::back_inserter(found.nodes));
    found.libraries = libraries;
    listed.push_back(std::move(found));
  }
  return listed;
}

std::vector<AcceleratorLoad> loads_of(const DriverReport& report) {
  std::vector<AcceleratorLoad> loads;
  for (const GpuReport& gpu : report.gpus) {
    if (gpu.busy_percent && gpu.used && !gpu.partitioned)
      loads.push_back({gpu.id, std::clamp<int64_t>(*gpu.busy_percent, 0, 100), *gpu.used});
  }
  return loads;
}

std::vector<Accelerator> with_vanished(const std::vector<Accelerator>& before,
                                       std::vector<Accelerator> now) {
  for (const Accelerator& each : before) {
    if (is_there(now, each)) continue;
    Accelerator gone = each;
    gone.fault = "it is gone: the host does not list it any more";
    now.push_back(std::move(gone));
  }
  return now;
}

}  // namespace paddock::devices
