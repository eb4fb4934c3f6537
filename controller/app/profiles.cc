#include "controller/app/profiles.h"

#include <map>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::app {
namespace {

Result<std::map<std::string, std::string>> files_in(const std::string& folder) {
  constexpr size_t kMostBytes = 1 << 20;
  if (folder.empty()) return std::map<std::string, std::string>();
  auto files = os::read_folder(folder, ".yaml", kMostBytes);
  if (files.ok()) return files;
  return invalid_argument("PROFILES_UNREADABLE", files.error().message, "profilesDir");
}

}  // namespace

Result<contracts::Profiles> profiles_of(const Config& config) {
  ASSIGN_OR_RETURN(const auto files, files_in(config.profiles_dir));
  ASSIGN_OR_RETURN(contracts::Profiles profiles, contracts::profiles_with(files));
  for (const auto& [image, profile] : config.sessions.images) {
    if (!profiles.contains(profile))
      return invalid_argument("CONFIG_INVALID", cat("there is no profile `", profile, "`"),
                              cat("sessions.images.", image));
  }
  return profiles;
}

}  // namespace paddock::app
