// Names of npm packages. Pure; for common/requirements only.
#pragma once

#include <string_view>

namespace paddock::requirements {

bool is_package_word(char c);
// `name` or `@scope/name`, as a registry has them.
bool is_package_name(std::string_view name);

}  // namespace paddock::requirements
