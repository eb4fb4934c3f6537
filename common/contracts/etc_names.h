// Which names of the host's /etc an operator may add to what every sandbox sees of it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace paddock::contracts {

// The variable of a launcher's own environment that holds such names, with commas between them.
inline constexpr const char* kEtcVariable = "PADDOCK_ETC_FILES";

// Why this name, relative to /etc, is not shown: it is no plain path, holds secrets, says which
// host this is, or leads to one that does; empty: it may be.
std::string etc_name_fault(std::string_view name);

}  // namespace paddock::contracts
