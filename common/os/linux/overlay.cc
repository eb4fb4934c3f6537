#include "common/os/overlay.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "common/base/text.h"

namespace paddock::os {
namespace {

// Folders by names of their open descriptors, while this lives: a value may have no more than 255
// characters, two paths in a list together, and ':' separates there.
class Folders {
 public:
  Result<std::string> name(const std::string& path) {
    Fd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.valid()) return system_error("opening a layer", errno);
    std::string name = cat("/proc/self/fd/", folder.get());
    open_.push_back(std::move(folder));
    return name;
  }

 private:
  std::vector<Fd> open_;
};

using Options = std::vector<std::pair<const char*, std::string>>;

// redirect_dir: a folder of the lower layer can be renamed. index: both layers stay plain folders.
// volatile: nothing waits for the disk, neither the command nor the end of the mount, which would
// write out the whole file system; changes need to outlive the command, not the host.
Result<Options> options_of(const Layers& layers, Folders& folders) {
  ASSIGN_OR_RETURN(std::string lower, folders.name(layers.lower));
  ASSIGN_OR_RETURN(std::string upper, folders.name(layers.upper));
  if (layers.work.empty())
    return Options{
        {"lowerdir", cat(upper, ":", lower)}, {"redirect_dir", "follow"}, {"index", "off"}};
  ASSIGN_OR_RETURN(std::string work, folders.name(layers.work));
  return Options{{"lowerdir", std::move(lower)},
                 {"upperdir", std::move(upper)},
                 {"workdir", std::move(work)},
                 {"redirect_dir", "on"},
                 {"index", "off"},
                 {"volatile", ""}};
}

}  // namespace

Result<Fd> mount_layers(const Layers& layers) {
  const Fd context(::fsopen("overlay", FSOPEN_CLOEXEC));
  if (!context.valid()) return system_error("opening a layered folder", errno);
  Folders folders;
  ASSIGN_OR_RETURN(const Options options, options_of(layers, folders));
  for (const auto& [name, value] : options) {
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
