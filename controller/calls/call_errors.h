// Why a call was not done.
#pragma once

#include <string>

#include "common/base/result.h"

namespace paddock::calls {

// For a call that is lost: trying again may help.
Error lost(Reason reason, std::string message);
// Somebody has to end first. An answer says after how many seconds to try again.
Error try_later(Reason reason, std::string message);
// `node`: who alone could do it; empty: any.
Error no_node(const std::string& node);
// The node did the call, or a part of it, but its answer is not what the contract says.
Error not_understood();

}  // namespace paddock::calls
