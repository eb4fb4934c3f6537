// Randomness comes in from outside, so that the simulator can replay it by seed.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace paddock {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<uint8_t> out) = 0;
  uint64_t next();
  uint64_t below(uint64_t bound);  // uniform in [0, bound); bound > 0
};

// The kernel's generator (getrandom). Thread-safe.
class SystemRandom final : public Random {
 public:
  void fill(std::span<uint8_t> out) override;
};

// Repeatable; for tests and the simulator only. Not thread-safe.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : engine_(seed) {}
  void fill(std::span<uint8_t> out) override;

 private:
  std::mt19937_64 engine_;
};

// A random (version 4) UUID in its usual text form. (RFC 9562 section 5.4)
std::string make_uuid(Random& random);
// `count` random characters of [bcdfghjklmnpqrstvwxz2456789], as Kubernetes uses for generateName.
std::string make_suffix(Random& random, size_t count = 5);

}  // namespace paddock
