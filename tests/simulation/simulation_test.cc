// PADDOCK_SIM_SEEDS seeds (default 300, 40 without optimisation) from PADDOCK_SIM_FIRST (default
// 1). A failing seed is printed and replays exactly.
#include <cstdlib>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "tests/simulation/invariants.h"
#include "tests/simulation/world.h"

namespace paddock::simulation {
namespace {

#ifdef NDEBUG
constexpr uint64_t kDefaultSeeds = 300;
#else
constexpr uint64_t kDefaultSeeds = 40;
#endif
constexpr int kSteps = 60;
constexpr int kBoundAfterFaults = 600;

uint64_t from_env(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : parse_integer<uint64_t>(text).value_or(otherwise);
}

Faults faults_for(uint64_t seed) {
  SeededRandom random(seed * 7919);
  return {random.below(40), random.below(30), random.below(15), random.below(8), random.below(10)};
}

// The first violation, or empty.
std::string play(uint64_t seed) {
  World world(seed, faults_for(seed));
  Invariants invariants;
  for (int step = 0; step < kSteps; ++step) {
    world.step();
    if (std::string wrong = invariants.check(world); !wrong.empty()) return wrong;
  }
  world.stop_faults();
  for (int step = 0; step < kBoundAfterFaults; ++step) {
    world.step();
    if (std::string wrong = invariants.check(world); !wrong.empty()) return wrong;
    if (world.all_runs_ended()) return invariants.check(world, true);
  }
  return "some run did not end after the faults stopped";
}

TEST(Simulation, NoRunIsLostDoubledOrInventedWhateverFails) {
  const uint64_t first = from_env("PADDOCK_SIM_FIRST", 1);
  const uint64_t seeds = from_env("PADDOCK_SIM_SEEDS", kDefaultSeeds);
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const std::string wrong = play(seed);
    ASSERT_EQ(wrong, "") << "replay with PADDOCK_SIM_FIRST=" << seed << " PADDOCK_SIM_SEEDS=1";
  }
}

}  // namespace
}  // namespace paddock::simulation
