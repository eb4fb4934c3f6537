// Who holds a lock file, for the message to whoever does not get it.
#pragma once

#include <string>

namespace paddock::os {

// " (process 123)"; nothing where no process that may be looked into holds it. Looks through all
// processes: not for what happens often.
std::string lock_holder(const std::string& path);

}  // namespace paddock::os
