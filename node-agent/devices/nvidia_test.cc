#include "node-agent/devices/nvidia.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "node-agent/devices/recorded_test_support.h"

namespace paddock::devices {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Nvidia, AGpuIsItsOwnNodeAndTheDriversSharedOnes) {
  const auto gpus = nvidia_accelerators(recorded("two-gpus"));
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].kind, "nvidia");
  EXPECT_EQ(gpus[0].id, "GPU-1a2b3c4d-0000-1111-2222-333344445555");
  EXPECT_EQ(gpus[0].model, "NVIDIA H100 80GB HBM3");
  EXPECT_THAT(gpus[0].nodes, ElementsAre("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"));
  EXPECT_EQ(gpus[0].env.at("CUDA_VISIBLE_DEVICES"), gpus[0].id);
  EXPECT_THAT(gpus[0].libraries, IsEmpty());
}

TEST(Nvidia, AGpuWithoutAUuidYetGoesByItsBusAddress) {
  const auto gpus = nvidia_accelerators(recorded("two-gpus"));
  EXPECT_EQ(gpus.at(1).id, "0000:10:00.0");
  EXPECT_EQ(gpus.at(1).nodes.front(), "/dev/nvidia1");
  EXPECT_THAT(gpus.at(1).env, IsEmpty());
}

TEST(Nvidia, AGpuThatTheDriverLeavesOutIsNotThere) {
  for (const auto& each : nvidia_accelerators(recorded("two-gpus"))) {
    EXPECT_NE(each.model, "NVIDIA T4");
  }
}

TEST(Nvidia, AHostWithoutADriverHasNoGpu) {
  EXPECT_THAT(nvidia_accelerators(recorded("no-such-host")), IsEmpty());
}

// proves: ORB-44
TEST(Nvidia, APartitionedGpuIsItsSlicesAndEachHasTheNodesOfItsOwn) {
  const auto slices = nvidia_accelerators(recorded("sliced-gpu"));
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].id, "MIG-GPU-1a2b3c4d-0000-1111-2222-333344445555/1/0");
  EXPECT_THAT(slices[0].nodes, ElementsAre("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm",
                                           "/dev/nvidia-uvm-tools", "/dev/nvidia-caps/nvidia-cap21",
                                           "/dev/nvidia-caps/nvidia-cap22"));
  EXPECT_EQ(slices[1].nodes.back(), "/dev/nvidia-caps/nvidia-cap31");
  EXPECT_EQ(access_to(slices).env.at("CUDA_VISIBLE_DEVICES"), cat(slices[0].id, ",", slices[1].id));
}

TEST(Nvidia, AnAllocationsGpusAreNamedAsCudaNamesThem) {
  const auto named = [](const char* visible) {
    std::vector<std::string> ids;
    for (const auto& each : only_visible({{.kind = "nvidia", .id = "GPU-aa", .gpu = "GPU-aa"},
                                          {.kind = "nvidia", .id = "MIG-1", .gpu = "GPU-bb"},
                                          {.kind = "nvidia", .id = "MIG-2", .gpu = "GPU-bb"},
                                          {.kind = "nvidia", .id = "0000:41:00.0"}},
                                         visible))
      ids.push_back(each.id);
    return join(ids, " ");
  };
  EXPECT_EQ(named(""), "GPU-aa MIG-1 MIG-2 0000:41:00.0");
  EXPECT_EQ(named("0"), "GPU-aa");
  EXPECT_EQ(named("1, 2"), "MIG-1 MIG-2 0000:41:00.0");
  EXPECT_EQ(named("MIG-2"), "MIG-2");
  EXPECT_EQ(named("GPU-b"), "MIG-1 MIG-2");
  EXPECT_EQ(named("7,NoDevFiles,"), "");
}

TEST(Nvidia, LibrariesThatTheLoaderWouldNotFindAreNamed) {
  EXPECT_THAT(nvidia_accelerators(recorded("sliced-gpu")).at(0).libraries,
              ElementsAre("/usr/lib/wsl/lib"));
}

}  // namespace
}  // namespace paddock::devices
