#include "node-agent/devices/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "node-agent/devices/cpu_features.h"
#include "node-agent/devices/recorded_test_support.h"

namespace paddock::devices {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Probe, ReadsCoresMemoryAndGpusOfARecordedHost) {
  const Host host = probe(recorded("two-gpus"), "/");
  EXPECT_EQ(host.capacity.cpu, 3);
  EXPECT_EQ(host.capacity.memory.bytes, int64_t{65536000} * 1024);
  EXPECT_EQ(host.accelerators.size(), 2U);
}

TEST(Probe, ReadsWhatTheProcessorsOfRecordedHostsCanDo) {
  EXPECT_EQ(join(probe(recorded("two-gpus"), "/").cpu_features, " "),
            "aes avx avx2 avx512_bf16 avx512_vbmi2 avx512_vnni avx512bw avx512cd avx512dq avx512f "
            "avx512vl bmi1 bmi2 f16c fma gfni pclmulqdq popcnt rdrand sha_ni sse4_1 sse4_2 ssse3 "
            "vaes");
  EXPECT_EQ(join(probe(recorded("arm"), "/").cpu_features, " "),
            "aes asimd asimddp asimdfhm asimdhp atomics bf16 crc32 i8mm paca pmull sha1 sha2 sha3 "
            "sha512 sve svebf16 svei8mm");
  EXPECT_THAT(probe(recorded("sliced-gpu"), "/").cpu_features,
              IsEmpty());  // it has no such file
}

TEST(CpuFeatures, AreKnownWordsAloneWhateverTheTextSays) {
  EXPECT_THAT(features_in(""), IsEmpty());
  EXPECT_THAT(features_in("flags"), IsEmpty());
  EXPECT_THAT(features_in("flags: \xff\xfe avx\t<script> AVX2 \x1b[31m avx512f\n"),
              ElementsAre("avx512f"));
  EXPECT_THAT(features_in("no line\nmodel name : avx\nFeatures\t: sve sve asimd\nflags : aes"),
              ElementsAre("asimd", "sve"));
  std::string huge = "flags :";
  for (int i = 0; i < 20'000; ++i) huge += " avx2 x" + std::to_string(i);
  EXPECT_THAT(features_in(huge), ElementsAre("avx2"));
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
