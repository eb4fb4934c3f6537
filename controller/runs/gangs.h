// Gangs as values: what becomes of the others when a member ends, or its attempt does. All of them
// are tried again, or none: the attempts of members have the same number at any time. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/runs/arrays.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {

// The next move of a gang, decided by the state of its members.
struct GangMove {
  enum class What {
    kNothing,
    kBegin,    // all have a node
    kRestart,  // an attempt of a member is over: those of the others are ended
    kWait,     // all are pending again
    kEnd,      // it cannot succeed any more: what still lives ends
  };
  What what = What::kNothing;
  std::string why;       // of kRestart and kEnd
  bool counted = false;  // kRestart: whether spec.retry counts the attempt
};
// `live`: its members that have not ended, as they are stored. What has ended is in the gang's
// status already.
GangMove next_move(const contracts::Run& gang, const std::vector<contracts::Run>& live);

// The events that follow, for the members (which are changed in place) and for the gang.
struct GangChanges {
  std::vector<Events> members;  // as `live`
  Events gang;
};
GangChanges make_move(const GangMove& move, contracts::Run& gang, std::vector<contracts::Run>& live,
                      WallTime now);

}  // namespace paddock::runs
