#include "common/os/overlay.h"

#include <sys/mount.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "common/base/text.h"

namespace paddock::os {
namespace {

// In a list of folders ':' separates; '\' protects, also where there is one folder only.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// redirect_dir: a folder of the lower layer can be renamed. index: both layers stay plain folders.
// volatile: nothing waits for the disk, neither the command nor the end of the mount, which would
// write out the whole file system; changes need to outlive the command, not the host.
std::vector<std::pair<const char*, std::string>> options_of(const Layers& layers) {
  if (layers.work.empty())
    return {{"lowerdir", cat(escaped(layers.upper), ":", escaped(layers.lower))},
            {"redirect_dir", "follow"},
            {"index", "off"}};
  return {{"lowerdir", escaped(layers.lower)},
          {"upperdir", escaped(layers.upper)},
          {"workdir", escaped(layers.work)},
          {"redirect_dir", "on"},
          {"index", "off"},
          {"volatile", ""}};
}

}  // namespace

Result<Fd> mount_layers(const Layers& layers) {
  const Fd context(::fsopen("overlay", FSOPEN_CLOEXEC));
  if (!context.valid()) return system_error("opening a layered folder", errno);
  for (const auto& [name, value] : options_of(layers)) {
    const bool flag = value.empty();
    if (::fsconfig(context.get(), flag ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING, name,
                   flag ? nullptr : value.c_str(), 0) != 0)
      return system_error(cat("setting ", name, " of a layered folder"), errno);
  }
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return system_error("making a layered folder", errno);
  const unsigned read_only = layers.work.empty() ? MOUNT_ATTR_RDONLY : 0U;
  Fd mount(
      ::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | read_only));
  if (!mount.valid()) return system_error("mounting a layered folder", errno);
  return mount;
}

}  // namespace paddock::os
