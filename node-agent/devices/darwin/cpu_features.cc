#include "node-agent/devices/cpu_features.h"

#include <sys/sysctl.h>

#include <algorithm>
#include <array>
#include <string>

namespace paddock::devices {
namespace {

// Features have the names that Linux gives them, so that one selector finds them on both systems.
struct Feature {
  const char* name;
  const char* sysctl;
};
constexpr std::array kFeatures = {Feature{"aes", "hw.optional.arm.FEAT_AES"},
                                  Feature{"asimd", "hw.optional.AdvSIMD"},
                                  Feature{"asimddp", "hw.optional.arm.FEAT_DotProd"},
                                  Feature{"asimdhp", "hw.optional.arm.FEAT_FP16"},
                                  Feature{"atomics", "hw.optional.arm.FEAT_LSE"},
                                  Feature{"bf16", "hw.optional.arm.FEAT_BF16"},
                                  Feature{"i8mm", "hw.optional.arm.FEAT_I8MM"},
                                  Feature{"pmull", "hw.optional.arm.FEAT_PMULL"},
                                  Feature{"sha2", "hw.optional.arm.FEAT_SHA256"},
                                  Feature{"sha3", "hw.optional.arm.FEAT_SHA3"},
                                  Feature{"sha512", "hw.optional.arm.FEAT_SHA512"},
                                  Feature{"sme", "hw.optional.arm.FEAT_SME"},
                                  Feature{"avx", "hw.optional.avx1_0"},
                                  Feature{"avx2", "hw.optional.avx2_0"},
                                  Feature{"avx512f", "hw.optional.avx512f"},
                                  Feature{"fma", "hw.optional.fma"},
                                  Feature{"sse4_2", "hw.optional.sse4_2"}};

bool has(const char* sysctl) {
  int value = 0;
  size_t size = sizeof value;
  return ::sysctlbyname(sysctl, &value, &size, nullptr, 0) == 0 && value != 0;
}

}  // namespace

std::vector<std::string> cpu_features(const std::string&) {
  std::vector<std::string> out;
  for (const Feature& each : kFeatures) {
    if (has(each.sysctl)) out.emplace_back(each.name);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace paddock::devices
