// The name that a sandbox has for itself, whatever its host is called: of its UTS namespace, and in
// the files of /etc and /proc that say it.
#pragma once

#include <string_view>

namespace paddock::sandbox {

inline constexpr std::string_view kHostName = "sandbox";

}  // namespace paddock::sandbox
