#include "node-agent/sandbox/macos/descriptors.h"

#include <dirent.h>

#include <memory>
#include <string_view>

#include "common/base/text.h"

namespace paddock::sandbox {

std::vector<int> open_descriptors() {
  std::vector<int> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/dev/fd"), closedir);
  while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder.get())) {
    const auto number = parse_integer<int>(std::string_view(entry->d_name));
    if (number && *number != dirfd(folder.get())) out.push_back(*number);
  }
  return out;
}

}  // namespace paddock::sandbox
