// Asks the GPU driver from a process of its own: a driver that hangs, as one does whose GPU fell
// off the bus, then holds up that process and not the agent. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node-agent/devices/driver_report.h"
#include "node-agent/devices/program_probe.h"

namespace paddock::devices {

class DriverProbe {
 public:
  // `command` prints a DriverReport as JSON, and nothing if there is no such driver.
  explicit DriverProbe(std::vector<std::string> command, Millis patience = Millis(10'000))
      : program_(std::move(command), patience) {}

  // Asks the driver; nothing if there is none to ask. A driver that does not answer in time, or
  // answers nonsense, is reported as faulty. While its last answer is outstanding it is not asked
  // again.
  std::optional<DriverReport> ask();

 private:
  ProgramProbe program_;
};

}  // namespace paddock::devices
