#include "common/os/lock_holder.h"

#include "common/base/text.h"

namespace paddock::os {

std::string lock_holder(const std::string& path) {
  const std::vector<pid_t> holders = lock_holders(path);
  return holders.empty() ? "" : cat(" (process ", holders.front(), ")");
}

}  // namespace paddock::os
