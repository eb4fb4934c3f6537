#include "tests/simulation/play.h"

#include "tests/simulation/invariants.h"

namespace paddock::simulation {
namespace {

constexpr int kSteps = 60;
constexpr int kBoundAfterFaults = 600;

Faults faults_for(uint64_t seed) {
  SeededRandom random(seed * 7919);
  return {.lose = random.below(40),
          .repeat = random.below(30),
          .crash = random.below(15),
          .cut_off = random.below(6),
          .restart_controller = random.below(8),
          .skew = random.below(10),
          .disk = seed % 3 == 0 ? seed % 17 : 0,
          .refuse = seed % 4 == 2 ? 5 + seed % 29 : 0,
          .pause = seed % 2 == 0 ? seed % 11 : 0};
}

}  // namespace

std::string play(uint64_t seed, const Tampering& tampering) {
  World world(seed, faults_for(seed), tampering);
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

}  // namespace paddock::simulation
