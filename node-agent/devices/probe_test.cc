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
  EXPECT_EQ(host.accelerators.size(), 2U);
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
