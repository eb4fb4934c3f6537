#include "node-agent/devices/nvml.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/devices/driver_probe.h"

namespace paddock::devices {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Nvml : public testing::Test {
 protected:
  static DriverReport ask(const char* mood) {
    ::setenv("FAKE_NVML", mood, 1);
    return ask_nvml(PADDOCK_FAKE_NVML).value();
  }
};

TEST_F(Nvml, AHostWithoutTheLibraryIsToldApart) {
  EXPECT_FALSE(ask_nvml("libno-such-library.so.1").has_value());
  EXPECT_FALSE(ask_nvml("libm.so.6").has_value());  // there, and another's
}

TEST_F(Nvml, EachGpuSaysWhatItIs) {
  const DriverReport report = ask("two");
  EXPECT_THAT(report.fault, IsEmpty());
  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_EQ(report.gpus[0].id, "GPU-1a2b3c4d-0000-1111-2222-333344445555");
  EXPECT_EQ(report.gpus[1].minor, 1);
  EXPECT_EQ(report.gpus[1].memory->bytes, int64_t{80} << 30);
  EXPECT_THAT(report.gpus[0].fault, IsEmpty());
  EXPECT_THAT(report.gpus[1].fault, IsEmpty());
}

TEST_F(Nvml, AGpuThatSaysSoIsMeasured) {
  const std::vector<AcceleratorLoad> loads = loads_of(ask("two"));
  ASSERT_EQ(loads.size(), 1U) << "the second does not say how busy it is";
  EXPECT_EQ(loads[0].id, "GPU-1a2b3c4d-0000-1111-2222-333344445555");
  EXPECT_EQ(loads[0].busy_percent, 42);
  EXPECT_EQ(loads[0].memory.bytes, 1);
}

TEST_F(Nvml, AGpuThatFailsSaysHow) {
  EXPECT_EQ(ask("lost").gpus.size(), 1U);
  EXPECT_THAT(ask("sick").gpus.at(1).fault, HasSubstr("Unknown Error (NVML 999)"));
  EXPECT_THAT(ask("damaged").gpus.at(1).fault, HasSubstr("replace the GPU"));
  EXPECT_TRUE(ask("sliced").gpus.at(1).partitioned);
}

TEST_F(Nvml, ADriverThatDoesNotStartFailsAsAWhole) {
  const DriverReport report = ask("mismatch");
  EXPECT_THAT(report.fault, HasSubstr("Driver/library version mismatch"));
  EXPECT_THAT(report.gpus, IsEmpty());
}

std::optional<DriverReport> say(const std::string& script, Millis patience = Millis(60'000)) {
  DriverProbe probe({"/bin/sh", "-c", script}, patience);
  return probe.ask();
}

TEST(DriverProbe, ReadsWhatTheProcessSays) {
  EXPECT_FALSE(say("exit 0").has_value());  // no driver
  const auto report = say(R"(echo '{"fault":"","gpus":[{"id":"GPU-1","minor":3}]}')");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->gpus.at(0).minor, 3);
  for (const char* bad : {"echo nonsense", "echo '{\"gpus\":5}'", "echo; kill -9 $$"})
    EXPECT_THAT(say(bad)->fault, HasSubstr("not understood")) << bad;
  EXPECT_THAT(say("yes")->fault, HasSubstr("does not answer"));  // too much
}

TEST(DriverProbe, ADriverThatHangsIsAFaultAndLeavesNothing) {
  DriverProbe probe({"/bin/sh", "-c", "trap '' TERM; exec sleep 600"}, Millis(50));
  EXPECT_THAT(probe.ask()->fault, HasSubstr("does not answer"));
  EXPECT_THAT(probe.ask()->fault, HasSubstr("does not answer"));
}

TEST(DriverProbe, WhatCannotBeStartedIsAFault) {
  EXPECT_THAT(DriverProbe({"/no/such/program"}).ask()->fault, HasSubstr("cannot be asked"));
}

}  // namespace
}  // namespace paddock::devices
