// Where a policy's folders of the host may appear inside. Pure.
#pragma once

#include <string_view>

#include "common/contracts/sandbox_policy.h"

namespace paddock::contracts {

// Whether the system of every sandbox is there: /usr, /etc, /proc, … The path is a clean one.
bool is_system_place(std::string_view sandbox_path);
// What is wrong with such a place, and what would do.
std::string system_place_fault(std::string_view sandbox_path);
// InvalidArgument (INVALID_MOUNT) with every mount that would be over the system.
Status check_mount_places(const SandboxPolicy& effective);

}  // namespace paddock::contracts
