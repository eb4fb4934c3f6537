#include "cli/instance/start_variables.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::cli {

std::vector<std::string> unheard_variables(const std::map<std::string, std::string>& here,
                                           std::string_view prefix, std::string_view environment) {
  const std::vector<std::string> heard = split(environment, '\0');
  std::vector<std::string> out;
  for (const auto& [name, value] : here) {
    if (!name.starts_with(prefix)) continue;
    if (std::ranges::find(heard, cat(name, "=", value)) == heard.end()) out.push_back(name);
  }
  return out;
}

}  // namespace paddock::cli
