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
  const bool whole = each.id == each.gpu;  // a slice has a part of its memory
  if (whole) each.memory = said->memory;
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

bool has_node(const std::vector<Accelerator>& all, const std::string& node) {
  return std::ranges::any_of(all, [&](const Accelerator& each) {
    return std::ranges::find(each.nodes, node) != each.nodes.end();
  });
}

// Under this name, or another: a card that was partitioned since, or has a UUID by now.
bool is_there(const std::vector<Accelerator>& now, const Accelerator& each) {
  return std::ranges::find(now, each.id, &Accelerator::id) != now.end() ||
         (!each.nodes.empty() && has_node(now, each.nodes.front()));
}

}  // namespace

std::vector<Accelerator> judged(std::vector<Accelerator> listed, const DriverReport& report,
                                const std::vector<std::string>& shared,
                                const std::vector<std::string>& libraries) {
  for (Accelerator& each : listed) {
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
