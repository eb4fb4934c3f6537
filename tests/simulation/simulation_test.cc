// PADDOCK_SIM_SEEDS seeds (default 500, fewer in slower builds) from PADDOCK_SIM_FIRST (default
// 1), and always those of seeds.txt. A failing seed is printed and replays exactly.
#include <cstdlib>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "tests/simulation/play.h"
#include "tests/simulation/seeds.h"
#include "tests/support/sanitized.h"

namespace paddock::simulation {
namespace {

#ifdef NDEBUG
constexpr uint64_t kDefaultSeeds = 500;
#else
constexpr uint64_t kDefaultSeeds = test::kSanitized ? 15 : 40;
#endif

uint64_t from_env(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : parse_integer<uint64_t>(text).value_or(otherwise);
}

TEST(Simulation, NoRunIsLostDoubledOrInventedWhateverFails) {
  const uint64_t first = from_env("PADDOCK_SIM_FIRST", 1);
  const uint64_t seeds = from_env("PADDOCK_SIM_SEEDS", kDefaultSeeds);
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const std::string wrong = play(seed);
    ASSERT_EQ(wrong, "") << "replay with PADDOCK_SIM_FIRST=" << seed
                         << " PADDOCK_SIM_SEEDS=1; add \"" << seed
                         << "\" to tests/simulation/seeds.txt, with what it found";
  }
}

TEST(Simulation, WhatFailedOnceStaysWell) {
  const auto seeds = read_seeds(PADDOCK_SEEDS_FILE);
  ASSERT_TRUE(seeds.ok()) << seeds.error().message;
  for (const uint64_t seed : *seeds)
    EXPECT_EQ(play(seed), "") << "seed " << seed << " of tests/simulation/seeds.txt";
}

}  // namespace
}  // namespace paddock::simulation
