#include "common/base/relative_path.h"

#include <vector>

#include "common/base/text.h"

namespace paddock {

std::optional<std::string> path_beside(std::string_view file, std::string_view relative) {
  std::vector<std::string> parts = split(file, '/');
  parts.pop_back();
  for (const std::string& part : split(relative, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  if (parts.empty()) return std::nullopt;
  return join(parts, "/");
}

}  // namespace paddock
