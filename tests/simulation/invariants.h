// What must hold after every step, checked against the store and the hosts' witnesses, by code that
// shares nothing with the code it checks:
//   - an acknowledged run never disappears, and once it ended it never changes; one that was
//   refused
//     is not there;
//   - an attempt's command is started at most once, on one host, within what that host has, and
//     there are no more attempts than were allowed;
//   - no phase goes back within an attempt, and no attempt to an older one;
//   - the stored output of an attempt is what its command wrote, once and in order, and all of it
//     when it ended;
//   - what an attempt's command was given is what it was sent, once and in order;
//   - no namespace has more runs placed than its quota;
//   - in a namespace that a grant bounds nothing is placed that goes over the bounds of that
//   moment;
//   - what the scheduler keeps up to date is what it would read anew;
//   - it ends as it did on its host; as canceled only if somebody asked for it; as lost only if
//     its node was silent for as long as a lease, in time that the controller lived;
//   - what a host could not begin is placed again, and counts as no attempt;
//   - the members of a gang are placed all at once or not at all, each on a host of its own; all of
//     them have had the same number of attempts at any time; and once the gang has ended, so have
//     all of them, with success only if each had it;
//   - no host drops a run that the controller counts on.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/simulation/world.h"

namespace paddock::simulation {

class Invariants {
 public:
  // The first violation, or empty. Runs that ended are looked at again now and then only, unless
  // `thorough`.
  std::string check(World& world, bool thorough = false);

 private:
  using Stream = std::vector<contracts::RunEvent>;
  std::string check_run(World& world, store::ReadTxn& txn, const std::string& uid);
  std::string check_all_of(World& world, const contracts::Run& run, const Stream& events);
  std::string check_bounds(store::ReadTxn& txn);
  std::string check_dropped(const AgentHost& host, store::ReadTxn& txn);

  static constexpr size_t kAgainEvery = 16;
  size_t checks_ = 0;
  std::map<std::string, std::string> terminal_;  // uid -> the run as it was when it ended
  std::map<std::string, size_t> drops_checked_;  // by host
  std::set<std::string> bounded_;                // attempts that were placed under a grant's bounds
};

}  // namespace paddock::simulation
