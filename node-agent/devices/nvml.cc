#include "node-agent/devices/nvml.h"

#include <dlfcn.h>

#include <array>

#include "common/base/text.h"

namespace paddock::devices {
namespace {

using Device = void*;  // nvmlDevice_t: opaque
using Answer = int;
constexpr Answer kSuccess = 0;
constexpr Answer kNotSupported = 3;

struct Memory {  // nvmlMemory_t
  unsigned long long total = 0, free = 0, used = 0;
};

template <class... Arguments>
using Function = Answer (*)(Arguments...);

struct Utilization {  // nvmlUtilization_t
  unsigned gpu = 0, memory = 0;
};

// The functions that are used. Those that a driver of ten years ago lacks may be absent.
struct Nvml {
  Function<> init = nullptr;
  Function<unsigned*> count = nullptr;
  Function<unsigned, Device*> device = nullptr;
  Function<Device, char*, unsigned> uuid = nullptr;
  Function<Device, char*, unsigned> name = nullptr;
  Function<Device, unsigned*> minor = nullptr;
  Function<Device, void*> memory = nullptr;  // to a Memory
  const char* (*error_string)(Answer) = nullptr;
  Function<Device, void*> utilization = nullptr;              // to a Utilization; optional
  Function<Device, unsigned*, unsigned*> mig_mode = nullptr;  // optional
  Function<Device, unsigned*, unsigned*, unsigned*, unsigned*> remapped_rows = nullptr;  // optional
};

template <class F>
bool load(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(::dlsym(library, name));
  return function != nullptr;
}

bool load_all(void* library, Nvml& nvml) {
  (void)load(library, "nvmlDeviceGetUtilizationRates", nvml.utilization);
  (void)load(library, "nvmlDeviceGetMigMode", nvml.mig_mode);
  (void)load(library, "nvmlDeviceGetRemappedRows", nvml.remapped_rows);
  return load(library, "nvmlInit_v2", nvml.init) &&
         load(library, "nvmlDeviceGetCount_v2", nvml.count) &&
         load(library, "nvmlDeviceGetHandleByIndex_v2", nvml.device) &&
         load(library, "nvmlDeviceGetUUID", nvml.uuid) &&
         load(library, "nvmlDeviceGetName", nvml.name) &&
         load(library, "nvmlDeviceGetMinorNumber", nvml.minor) &&
         load(library, "nvmlDeviceGetMemoryInfo", nvml.memory) &&
         load(library, "nvmlErrorString", nvml.error_string);
}

std::string fault_of(const Nvml& nvml, std::string_view what, Answer answer) {
  const char* said = nvml.error_string(answer);
  return cat(what, " fails: ", said == nullptr ? "error" : to_utf8_lossy(said), " (NVML ", answer,
             ")");
}

std::string text_of(const Function<Device, char*, unsigned>& function, Device device) {
  std::array<char, 96> text = {};
  if (function(device, text.data(), text.size() - 1) != kSuccess) return {};
  return to_utf8_lossy(text.data());
}

// The fault of the GPU's memory, if the GPU counts remapped rows. Not every GPU does.
std::string row_fault(const Nvml& nvml, Device device) {
  if (nvml.remapped_rows == nullptr) return {};
  unsigned correctable = 0, uncorrectable = 0, pending = 0, failed = 0;
  const Answer answer = nvml.remapped_rows(device, &correctable, &uncorrectable, &pending, &failed);
  if (answer == kNotSupported) return {};
  if (answer != kSuccess) return fault_of(nvml, "asking for its memory's rows", answer);
  if (failed != 0) return "its memory is damaged and has no spare rows left: replace the GPU";
  return {};
}

GpuReport report_of(const Nvml& nvml, Device device) {
  GpuReport gpu;
  gpu.id = text_of(nvml.uuid, device);
  gpu.model = text_of(nvml.name, device);
  unsigned minor = 0;
  if (nvml.minor(device, &minor) == kSuccess) gpu.minor = minor;
  unsigned partitioned = 0, pending = 0;
  gpu.partitioned = nvml.mig_mode != nullptr &&
                    nvml.mig_mode(device, &partitioned, &pending) == kSuccess && partitioned != 0;
  Utilization busy;
  if (nvml.utilization != nullptr && nvml.utilization(device, &busy) == kSuccess)
    gpu.busy_percent = busy.gpu;
  Memory memory;
  // A partitioned GPU may keep its memory to itself.
  const Answer answer = nvml.memory(device, &memory);
  if (answer == kSuccess) {
    gpu.memory = wire::Quantity{static_cast<int64_t>(memory.total)};
    gpu.used = wire::Quantity{static_cast<int64_t>(memory.used)};
    gpu.fault = row_fault(nvml, device);
  } else if (!gpu.partitioned) {
    gpu.fault = fault_of(nvml, "asking for its memory", answer);
  }
  return gpu;
}

DriverReport report_of(const Nvml& nvml) {
  DriverReport report;
  unsigned count = 0;
  if (const Answer answer = nvml.init(); answer != kSuccess) {
    report.fault = fault_of(nvml, "the driver's start", answer);
  } else if (const Answer counted = nvml.count(&count); counted != kSuccess) {
    report.fault = fault_of(nvml, "counting its devices", counted);
  }
  for (unsigned i = 0; report.fault.empty() && i < count; ++i) {
    Device device = nullptr;
    // A GPU that has fallen off the bus has no UUID by which to name it, and is missing from the
    // list.
    if (nvml.device(i, &device) == kSuccess) report.gpus.push_back(report_of(nvml, device));
  }
  return report;
}

}  // namespace

std::optional<DriverReport> ask_nvml(const std::string& library) {
  // Stays loaded: its threads may outlive the question.
  void* loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  Nvml nvml;
  if (loaded == nullptr || !load_all(loaded, nvml)) return std::nullopt;
  return report_of(nvml);
}

}  // namespace paddock::devices
