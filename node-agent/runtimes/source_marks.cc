#include "node-agent/runtimes/source_marks.h"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/file_times.h"

namespace paddock::runtimes {

std::string program_mark(std::string_view name) {
  for (const std::string& dir : split(contracts::minimal_environment(false).at("PATH"), ':')) {
    struct stat stat = {};
    if (::stat(os::join_path(dir, name).c_str(), &stat) != 0) continue;
    const timespec written = os::modified_at(stat);
    return cat(dir, ":", stat.st_size, ":", written.tv_sec, ":", written.tv_nsec);
  }
  return {};
}

std::string wheels_mark(const std::string& dir) {
  if (dir.empty()) return {};
  const auto names = os::list_dir(dir);
  std::vector<std::string> marks;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    struct stat stat = {};
    if (!name.ends_with(".whl") || ::stat(os::join_path(dir, name).c_str(), &stat) != 0) continue;
    const timespec written = os::modified_at(stat);
    marks.push_back(cat(name, "/", stat.st_size, "/", written.tv_sec, "/", written.tv_nsec));
  }
  std::ranges::sort(marks);
  return crypto::sha256_hex(join(marks, "\n"));
}

}  // namespace paddock::runtimes
