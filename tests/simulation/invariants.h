// What must hold after every step, checked against the store and the agents' own records, by code
// that shares nothing with the code it checks.
#pragma once

#include <map>
#include <string>

#include "tests/simulation/world.h"

namespace paddock::simulation {

class Invariants {
 public:
  // The first violation, or empty. Runs that ended are looked at again now and then only, unless
  // `thorough`.
  std::string check(World& world, bool thorough = false);

 private:
  std::string check_run(World& world, store::ReadTxn& txn, const std::string& uid);
  std::string check_stream(World& world, const contracts::Run& run,
                           const std::vector<contracts::RunEvent>& events);
  std::string check_nodes(World& world, store::ReadTxn& txn);

  static constexpr size_t kAgainEvery = 16;
  size_t checks_ = 0;
  std::map<std::string, std::string> terminal_;  // uid -> the run as it was when it ended
};

}  // namespace paddock::simulation
