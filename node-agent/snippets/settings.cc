#include "node-agent/snippets/settings.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::snippets {
namespace {

bool is_module(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, plain);
}

}  // namespace

void SnippetConfig::validate(wire::Check& check) const {
  for (size_t i = 0; i < libraries.size(); ++i) {
    if (!is_module(libraries[i])) check.fail(cat("libraries[", i, "]"), "must be a module's name");
  }
  if (!profile_file.empty() && profile_file.front() != '/')
    check.fail("profileFile", "must be an absolute path");
}

Result<contracts::Profile> load_profile(const SnippetConfig& config) {
  constexpr const char* kName = "snippet";
  if (config.profile_file.empty()) return contracts::builtin_profiles().at(kName);
  ASSIGN_OR_RETURN(const std::string text, os::read_file(config.profile_file, 1 << 20));
  ASSIGN_OR_RETURN(const contracts::Profiles profiles, contracts::profiles_with({{kName, text}}));
  return profiles.at(kName);
}

}  // namespace paddock::snippets
