#include "node-agent/sandbox/linux/filesystem/new_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {

Status set_options(const os::Fd& context, const std::vector<MountOption>& options) {
  for (const MountOption& option : options) {
    if (fsconfig(context.get(), FSCONFIG_SET_STRING, option.name, option.value.c_str(), 0) != 0)
      return step_error(cat("setting ", option.name, " of a file system"), errno);
  }
  return {};
}

Result<os::Fd> new_file_system(const char* type, const std::vector<MountOption>& options,
                               unsigned attributes) {
  constexpr const char* kRemedy = "inside a container its /proc must not be masked";
  const os::Fd context(fsopen(type, FSOPEN_CLOEXEC));
  if (!context.valid()) return step_error(cat("opening a new ", type), errno);
  TRY(set_options(context, options));
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return step_error(cat("creating the new ", type), errno, kRemedy);
  os::Fd mount(fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
  if (!mount.valid()) return step_error(cat("mounting the new ", type), errno, kRemedy);
  return mount;
}

Result<os::Fd> new_proc() {
  return new_file_system("proc", {{"hidepid", "invisible"}},
                         MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

Result<os::Fd> new_terminals() {
  return new_file_system("devpts", {{"ptmxmode", "0666"}, {"mode", "0600"}, {"max", "32"}},
                         MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
}

Status attach(const os::Fd& mount, const os::Fd& target, std::string_view name) {
  if (move_mount(mount.get(), "", target.get(), "",
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return step_error(cat("mounting ", name), errno);
  }
  return {};
}

Status make_read_only(const os::Fd& mount, std::string_view name) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
    return step_error(cat("making ", name, " read-only"), errno);
  return {};
}

}  // namespace paddock::sandbox
