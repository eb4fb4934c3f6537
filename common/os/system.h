// Which system this was built for, for code that asks and has no folder for each.
#pragma once

namespace paddock::os {

#ifdef __linux__
inline constexpr bool kLinux = true;
#else
inline constexpr bool kLinux = false;
#endif

}  // namespace paddock::os
