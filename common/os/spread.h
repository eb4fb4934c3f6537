// Where a file system puts folders that come and go.
#pragma once

#include <string>

namespace paddock::os {

// What is made in this folder has nothing to do with one another: ext4 then spreads it over the
// disk, as it does with a user's home, instead of looking in one place, past all that was just
// removed there, for every file (chattr(1), attribute T). A hint: where it is not understood,
// nothing changes.
void spread_folders(const std::string& folder);

}  // namespace paddock::os
