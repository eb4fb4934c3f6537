#include "cli/commands/requirements_files.h"

#include <algorithm>
#include <array>

namespace paddock::cli {
namespace {

constexpr int64_t kMostRequirementsBytes = 1 << 20;  // the controller reads no larger one

// With the slash behind it; empty at the top.
std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

bool is_beside(std::string_view name) {
  constexpr std::array<std::string_view, 4> kBeside = {"package.json", "package-lock.json",
                                                       "pyproject.toml", "uv.lock"};
  return std::ranges::find(kBeside, name) != kBeside.end();
}

}  // namespace

bool may_be_requirements(const contracts::TreeEntry& file, std::string_view requirements) {
  if (requirements.empty() || file.size > kMostRequirementsBytes) return false;
  const std::string_view path = file.path;
  if (path == requirements) return true;
  const std::string_view folder = folder_of(path);
  const bool here = folder == folder_of(requirements);
  if (here && is_beside(path.substr(folder.size()))) return true;
  const bool text = path.ends_with(".txt") || path.ends_with(".in");
  const bool named =
      path.find("requirements") != path.npos || path.find("constraints") != path.npos;
  return text && named;
}

}  // namespace paddock::cli
