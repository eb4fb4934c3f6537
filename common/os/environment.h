// This process's environment as a value, read once by a program's main().
#pragma once

#include <map>
#include <string>

namespace paddock::os {

std::map<std::string, std::string> environment();

}  // namespace paddock::os
