#include "common/contracts/inner_paths.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

constexpr size_t kMostPathBytes = 4096;

bool is_variable_name(std::string_view name) {
  if (name.empty() || name.size() > 128 || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::ranges::all_of(name, [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

}  // namespace

bool is_clean_absolute(std::string_view path) {
  if (path.size() < 2 || path.size() > kMostPathBytes || path[0] != '/') return false;
  if (path.find('\0') != std::string_view::npos) return false;
  for (const std::string& part : split(path.substr(1), '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool is_within(std::string_view path, std::string_view folder) {
  return path == folder || (path.size() > folder.size() && path.starts_with(folder) &&
                            (path[folder.size()] == '/' || folder == "/"));
}

std::string variable_fault(std::string_view name, std::string_view value) {
  if (!is_variable_name(name)) return "is not a variable name";
  if (name.starts_with("LD_") || name.starts_with("DYLD_") || name == "GLIBC_TUNABLES")
    return "would change how every program is loaded; start the command with it instead";
  if (name.starts_with("PADDOCK_")) return "names that begin with PADDOCK_ are Paddock's own";
  if (value.find('\0') != std::string_view::npos) return "must not contain a NUL byte";
  return {};
}

}  // namespace paddock::contracts
