#include "node-agent/devices/probe.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace paddock::devices {
namespace {

std::string recorded(const std::string& name) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  return std::string(source == nullptr ? "." : source) + "/node-agent/devices/testdata/" + name;
}

TEST(Probe, ReadsCoresMemoryAndGpusOfARecordedHost) {
  const Host host = probe(recorded("two-gpus"), "/");
  EXPECT_EQ(host.capacity.cpu, 3);
  EXPECT_EQ(host.capacity.memory.bytes, int64_t{65536000} * 1024);
  ASSERT_EQ(host.devices.size(), 2u);
  EXPECT_EQ(host.devices[0].kind, "nvidia");
  EXPECT_EQ(host.devices[0].id, "GPU-1a2b3c4d-0000-1111-2222-333344445555");
  EXPECT_EQ(host.devices[0].model, "NVIDIA H100 80GB HBM3");
}

TEST(Probe, AGpuWithoutAUuidYetGoesByItsBusAddress) {
  EXPECT_EQ(nvidia_devices(recorded("two-gpus")).at(1).id, "0000:10:00.0");
}

TEST(Probe, AGpuThatTheDriverLeavesOutIsNotReported) {
  for (const auto& each : nvidia_devices(recorded("two-gpus"))) EXPECT_NE(each.model, "NVIDIA T4");
}

TEST(Probe, AHostWithoutADriverHasNoGpu) {
  EXPECT_TRUE(nvidia_devices(recorded("no-such-host")).empty());
}

TEST(Probe, ThisHostHasCoresMemoryAndDisk) {
  const Host host = probe("/", "/");
  EXPECT_GT(host.capacity.cpu, 0);
  EXPECT_GT(host.capacity.memory.bytes, 0);
  EXPECT_GT(host.capacity.disk.bytes, 0);
  EXPECT_EQ(host.os, "linux");
  EXPECT_FALSE(host.arch.empty());
}

}  // namespace
}  // namespace paddock::devices
