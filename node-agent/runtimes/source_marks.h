// Short texts about what an environment was built from; they change when that does. For
// node-agent/runtimes only.
#pragma once

#include <string>
#include <string_view>

namespace paddock::runtimes {

// Changes when the program that an environment was built for is another one; empty: this host has
// none of this name.
std::string program_mark(std::string_view name);

// Changes when a wheel of this folder is another one, also of the same name; empty for no folder.
std::string wheels_mark(const std::string& dir);

}  // namespace paddock::runtimes
