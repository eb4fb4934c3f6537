#include "node-agent/devices/cpu_features.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace paddock::devices {
namespace {

// Sorted. What numerics, cryptography and coders are built for; everything else in a kernel's list
// is the kernel's own business.
constexpr std::array<std::string_view, 50> kUseful = {
    "aes",         "amx_bf16",    "amx_fp16",     "amx_int8",    "amx_tile", "asimd",
    "asimddp",     "asimdfhm",    "asimdhp",      "atomics",     "avx",      "avx2",
    "avx512_bf16", "avx512_fp16", "avx512_vbmi2", "avx512_vnni", "avx512bw", "avx512cd",
    "avx512dq",    "avx512f",     "avx512vl",     "avx_vnni",    "bf16",     "bmi1",
    "bmi2",        "crc32",       "f16c",         "fma",         "gfni",     "i8mm",
    "paca",        "pclmulqdq",   "pmull",        "popcnt",      "rdrand",   "sha1",
    "sha2",        "sha3",        "sha512",       "sha_ni",      "sme",      "sme2",
    "sse4_1",      "sse4_2",      "ssse3",        "sve",         "sve2",     "svebf16",
    "svei8mm",     "vaes"};
static_assert(std::ranges::is_sorted(kUseful));

// "flags : …" of x86, "Features : …" of Arm; the first processor's.
std::string_view flags_in(std::string_view cpuinfo) {
  while (!cpuinfo.empty()) {
    const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string_view key = trim(line.substr(0, colon));
    if (key == "flags" || key == "Features") return line.substr(std::min(colon + 1, line.size()));
    cpuinfo.remove_prefix(std::min(line.size() + 1, cpuinfo.size()));
  }
  return {};
}

}  // namespace

std::vector<std::string> features_in(std::string_view cpuinfo) {
  std::vector<std::string> out;
  for (const std::string& flag : split(flags_in(cpuinfo), ' ')) {
    if (std::ranges::binary_search(kUseful, std::string_view(trim(flag))))
      out.emplace_back(trim(flag));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace paddock::devices
