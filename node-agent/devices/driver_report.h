// The report of a GPU driver on its devices, and what it means for runs: a device that fails is
// still listed, with its fault, and gets no run.
#pragma once

#include <string>
#include <vector>

#include "node-agent/devices/accelerator.h"

namespace paddock::devices {

struct GpuReport {
  std::string id;  // its UUID
  std::string model;
  int64_t minor = -1;  // of its node /dev/nvidiaN; -1: the driver does not say
  std::optional<wire::Quantity> memory;
  bool partitioned = false;
  std::optional<int64_t> busy_percent;  // a partitioned one does not say
  std::optional<wire::Quantity> used;   // of its memory
  std::string fault;                    // empty: it answers and needs nothing
  static constexpr auto describe(auto&& visit) {
    return visit(field("id", &GpuReport::id, "its UUID"),
                 field("model", &GpuReport::model, "for people"),
                 field("minor", &GpuReport::minor, "of its device node"),
                 field("memory", &GpuReport::memory, "bytes"),
                 field("partitioned", &GpuReport::partitioned, "used by its slices (MIG)"),
                 field("busyPercent", &GpuReport::busy_percent, "how busy it is"),
                 field("used", &GpuReport::used, "bytes of its memory in use"),
                 field("fault", &GpuReport::fault, "why no run should get it"));
  }
};

struct DriverReport {
  std::string fault;  // of all its devices: the driver itself does not answer
  std::vector<GpuReport> gpus;
  static constexpr auto describe(auto&& visit) {
    return visit(field("fault", &DriverReport::fault, "why no run should get any of them"),
                 field("gpus", &DriverReport::gpus, "what it lists"));
  }
};

// Those that are listed below /proc, with what the driver says of them; and whole GPUs that only
// the driver lists, as in containers that hide /proc/driver. `shared` are the nodes that every user
// of the driver needs, `libraries` as in Accelerator. Pure.
std::vector<Accelerator> judged(std::vector<Accelerator> listed, const DriverReport& report,
                                const std::vector<std::string>& shared,
                                const std::vector<std::string>& libraries);

// The loads of those devices that report one. Pure.
std::vector<AcceleratorLoad> loads_of(const DriverReport& report);

// `now`, and what was there before and is not any more, with that as its fault. Pure.
std::vector<Accelerator> with_vanished(const std::vector<Accelerator>& before,
                                       std::vector<Accelerator> now);

}  // namespace paddock::devices
