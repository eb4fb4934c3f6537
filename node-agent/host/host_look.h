// Looks at what this host has at the moment, again and again while the agent runs. Not thread-safe.
#pragma once

#include "node-agent/devices/apple.h"
#include "node-agent/devices/driver_probe.h"
#include "node-agent/devices/probe.h"
#include "node-agent/host/host_settings.h"
#include "node-agent/host/seen_devices.h"

namespace paddock::agent {

class HostLook {
 public:
  explicit HostLook(const HostSettings& settings);
  // Accelerators are those found and those declared, each with its fault if no run should get it,
  // and those that an earlier look found, maybe an earlier agent's, and that are gone. Takes
  // seconds if a driver hangs.
  devices::Host look();

 private:
  const HostSettings settings_;
  devices::DriverProbe driver_;
  devices::AppleProbe apple_;
  SeenDevices seen_;
};

// What `paddock-node-agent --gpus` prints: the driver's answer as JSON; empty without a driver.
std::string gpus_as_json();

}  // namespace paddock::agent
