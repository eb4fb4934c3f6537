// The GPU of Apple silicon, with the Neural Engine beside it on the chip, as `system_profiler` of
// macOS lists it. It has no node below /dev: a run that is granted it is launched with
// contracts::kAppleGpu among its devices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/devices/accelerator.h"
#include "node-agent/devices/program_probe.h"

namespace paddock::devices {

inline constexpr const char* kSystemProfiler = "/usr/sbin/system_profiler";

// What the JSON of `system_profiler -json SPDisplaysDataType SPHardwareDataType` means: one
// accelerator at most, since every Apple silicon Mac has one such GPU and what opens it cannot tell
// two apart. GPUs of Intel, AMD and of virtual machines are none. Nothing: it is no such report.
// Pure; any text may come.
std::optional<std::vector<Accelerator>> apple_accelerators(std::string_view report);

// Asks once, and again only while there is no answer: it takes seconds, and the chip stays what it
// is. Not thread-safe.
class AppleProbe {
 public:
  AppleProbe();
  explicit AppleProbe(std::vector<std::string> command, Millis patience = Millis(10'000));

  // Empty as well when there is no answer.
  std::vector<Accelerator> ask();

 private:
  ProgramProbe program_;
  std::optional<std::vector<Accelerator>> answer_;
};

}  // namespace paddock::devices
