// Where a file system puts folders that come and go.
#pragma once

#include <string>

namespace paddock::os {

// The folders made in this one have nothing to do with each other: ext4 then spreads them over the
// disk, as it does with users' homes (chattr(1), attribute T). Without a journal it looks for each
// new file past all that was removed near it in the last minute. A hint: where it is not
// understood, nothing changes.
void spread_folders(const std::string& folder);

}  // namespace paddock::os
