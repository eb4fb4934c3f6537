#include "common/contracts/homes.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/contracts/inner_paths.h"

namespace paddock::contracts {
namespace {

constexpr std::array<std::string_view, 14> kFolders = {"HOME",           "USERPROFILE",
                                                       "OD_AGENT_HOME",  "TMPDIR",
                                                       "TEMP",           "TMP",
                                                       "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
                                                       "XDG_DATA_HOME",  "XDG_RUNTIME_DIR",
                                                       "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR",
                                                       "CODEX_HOME",     "OPENCODE_TEST_HOME"};
constexpr std::array<std::string_view, 3> kFiles = {
    "NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "OD_AGENT_PROFILES_CONFIG"};

}  // namespace

bool is_home_variable(std::string_view name) {
  return std::ranges::count(kFolders, name) > 0 || std::ranges::count(kFiles, name) > 0;
}

std::vector<std::string> own_folders(const std::map<std::string, std::string>& environment) {
  std::set<std::string> out;
  for (const std::string_view name : kFolders) {
    const auto found = environment.find(std::string(name));
    if (found != environment.end() && is_scratch_path(found->second)) out.insert(found->second);
  }
  return {out.begin(), out.end()};
}

bool is_scratch_path(std::string_view path) {
  return is_clean_absolute(path) && path != kSandboxTmp && is_within(path, kSandboxTmp);
}

}  // namespace paddock::contracts
