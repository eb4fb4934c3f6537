// Which paths can be files of a tree. Pure.
#pragma once

#include <string>
#include <string_view>

namespace paddock::contracts {

// Why this path cannot: "must be relative"; empty if it can.
std::string tree_path_fault(std::string_view path);

}  // namespace paddock::contracts
