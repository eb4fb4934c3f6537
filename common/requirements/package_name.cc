#include "common/requirements/package_name.h"

#include <algorithm>
#include <cctype>

namespace paddock::requirements {
namespace {

constexpr size_t kLongestName = 214;  // npm's own

bool is_name_part(std::string_view part) {
  return !part.empty() &&
         (is_package_word(part.front()) || part.front() == '~' || part.front() == '-') &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return is_package_word(c) || c == '-' || c == '.' || c == '_' || c == '~';
         });
}

}  // namespace

bool is_package_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_package_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  if (name.front() != '@')
    return is_name_part(name) && name.front() != '-' && name != "node_modules";
  const size_t slash = name.find('/');
  return slash != std::string_view::npos && is_name_part(name.substr(1, slash - 1)) &&
         is_name_part(name.substr(slash + 1));
}

}  // namespace paddock::requirements
