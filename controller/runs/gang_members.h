// The facts that a gang applies to one of its members, like those of transitions.h, which asks the
// first two of these. gangs.h decides which fact applies to which member.
#pragma once

#include <string>

#include "controller/runs/transitions.h"

namespace paddock::runs {

// Whether the member's attempt is being ended because the gang is placed again. However that
// attempt ends, the member then waits for the next one, unless somebody has canceled it.
bool waits_for_gang(const contracts::Run& run);
// That attempt is over, and the member is pending again. Only where waits_for_gang().
Events join_gang_again(contracts::Run& run, WallTime now);

// Asks for the end of the member's attempt because the gang is placed again. Changes nothing on a
// member that is being ended already.
Events restart_member(contracts::Run& run, const std::string& why, WallTime now);
// Ends the member for good, because another member ended: Canceled, at once where it is pending.
// Changes nothing on a member that is being ended for good already.
Events end_member(contracts::Run& run, const std::string& why, WallTime now);
// A pending one has failed: it cannot be tried again, for the others cannot. Changes nothing on one
// that is not pending.
Events fail_member(contracts::Run& run, const std::string& why, WallTime now);

}  // namespace paddock::runs
