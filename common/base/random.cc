#include "common/base/random.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/text.h"

namespace paddock {

uint64_t Random::next() {
  std::array<uint8_t, 8> bytes;
  fill(bytes);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

uint64_t Random::below(uint64_t bound) {
  if (bound == 0) panic("Random::below(0)");
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = next();
  while (value >= limit) value = next();
  return value % bound;
}

void SystemRandom::fill(std::span<uint8_t> out) {
  constexpr size_t kMostAtOnce = 256;  // getentropy(3)
  while (!out.empty()) {
    const size_t size = std::min(out.size(), kMostAtOnce);
    if (::getentropy(out.data(), size) != 0) panic("the kernel gave no random bytes");
    out = out.subspan(size);
  }
}

void SeededRandom::fill(std::span<uint8_t> out) {
  for (uint8_t& byte : out) byte = static_cast<uint8_t>(engine_());
}

std::string make_uuid(Random& random) {
  std::array<uint8_t, 16> bytes;
  random.fill(bytes);
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3F) | 0x80);
  const std::string digits = hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return cat(digits.substr(0, 8), "-", digits.substr(8, 4), "-", digits.substr(12, 4), "-",
             digits.substr(16, 4), "-", digits.substr(20));
}

// All of it in one call of the kernel; each number is as below() would draw it.
std::string make_suffix(Random& random, size_t count) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr uint64_t kLimit = UINT64_MAX - UINT64_MAX % kAlphabet.size();
  std::vector<uint64_t> numbers(count);
  random.fill({reinterpret_cast<uint8_t*>(numbers.data()), count * sizeof(uint64_t)});
  std::string out;
  for (const uint64_t number : numbers) {
    const uint64_t fair = number < kLimit ? number : random.below(kLimit);
    out += kAlphabet[fair % kAlphabet.size()];
  }
  return out;
}

}  // namespace paddock
