#include "common/os/spread.h"

namespace paddock::os {

void spread_folders(const std::string&) {}  // APFS asks for no hint

}  // namespace paddock::os
