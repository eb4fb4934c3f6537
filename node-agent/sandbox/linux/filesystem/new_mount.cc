#include "node-agent/sandbox/linux/filesystem/new_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {

namespace {

constexpr const char* kProcRemedy = "inside a container its /proc must not be masked";
constexpr unsigned kProcAttributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

Result<os::Fd> open_context(const char* type) {
  os::Fd out(fsopen(type, FSOPEN_CLOEXEC));
  if (!out.valid()) return step_error(cat("opening a new ", type), errno);
  return out;
}

Result<os::Fd> create(const os::Fd& context, const char* type, unsigned attributes) {
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return step_error(cat("creating the new ", type), errno, kProcRemedy);
  os::Fd mount(fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
  if (!mount.valid()) return step_error(cat("mounting the new ", type), errno, kProcRemedy);
  return mount;
}

bool set_pids(const os::Fd& context, const os::Fd& pids) {
  return fsconfig(context.get(), FSCONFIG_SET_FD, "pidns", nullptr, pids.get()) == 0;
}

const std::vector<MountOption>& proc_options() {
  static const std::vector<MountOption> kOptions = {{"hidepid", "invisible"}};
  return kOptions;
}

}  // namespace

Status set_options(const os::Fd& context, const std::vector<MountOption>& options) {
  for (const MountOption& option : options) {
    if (fsconfig(context.get(), FSCONFIG_SET_STRING, option.name, option.value.c_str(), 0) != 0)
      return step_error(cat("setting ", option.name, " of a file system"), errno);
  }
  return {};
}

Result<os::Fd> new_file_system(const char* type, const std::vector<MountOption>& options,
                               unsigned attributes) {
  ASSIGN_OR_RETURN(const os::Fd context, open_context(type));
  TRY(set_options(context, options));
  return create(context, type, attributes);
}

Result<os::Fd> new_proc() { return new_file_system("proc", proc_options(), kProcAttributes); }

Result<os::Fd> new_proc_of(pid_t process) {
  const os::Fd pids(open(cat("/proc/", process, "/ns/pid").c_str(), O_RDONLY | O_CLOEXEC));
  if (!pids.valid()) return step_error("opening the sandbox's processes", errno);
  ASSIGN_OR_RETURN(const os::Fd context, open_context("proc"));
  if (!set_pids(context, pids)) return step_error("making a /proc of the sandbox", errno);
  TRY(set_options(context, proc_options()));
  return create(context, "proc", kProcAttributes);
}

bool kernel_makes_proc_of_others() {
  const os::Fd own(open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
  const auto context = open_context("proc");
  return own.valid() && context.ok() && set_pids(*context, own);
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

namespace {

Status set_attributes(const os::Fd& mount, uint64_t set, uint64_t clear, std::string_view doing,
                      std::string_view name) {
  mount_attr attributes{};
  attributes.attr_set = set;
  attributes.attr_clr = clear;
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
    return step_error(cat(doing, name), errno);
  return {};
}

}  // namespace

Status make_read_only(const os::Fd& mount, std::string_view name) {
  return set_attributes(mount, MOUNT_ATTR_RDONLY, 0, "making read-only: ", name);
}

Status make_writable(const os::Fd& mount, std::string_view name) {
  return set_attributes(mount, 0, MOUNT_ATTR_RDONLY, "making writable: ", name);
}

}  // namespace paddock::sandbox
