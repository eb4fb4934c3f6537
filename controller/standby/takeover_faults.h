// Which faults a standby waits out when it cannot take the lead. Pure.
#pragma once

#include "common/base/result.h"

namespace paddock::standby {

// Nobody can lead now: each standby that ended here would be one less for later.
bool all_lack_it(const Error& error);
// The database is not there for a while, also after the lead was taken, is a replica that is yet to
// be promoted, or another one was quicker. One that a newer program has led since this one began is
// for others to lead; who starts anew is refused.
bool may_pass(const Error& error);

}  // namespace paddock::standby
