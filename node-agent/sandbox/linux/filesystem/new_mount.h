// Makes new file systems as detached mounts, which have no name but their descriptor, and attaches
// them to a tree. Errors say which step the kernel refused.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

struct MountOption {
  const char* name;
  std::string value;
};
// Sets options in the context of a file system that is to be made or changed (fsconfig).
Status set_options(const os::Fd& context, const std::vector<MountOption>& options);
// `attributes`: MOUNT_ATTR_….
Result<os::Fd> new_file_system(const char* type, const std::vector<MountOption>& options,
                               unsigned attributes);
// The /proc of the caller's pid namespace, which shows each user's processes to that user alone. It
// is whole, with /proc/sys, kcore, keys and sysrq-trigger: ProcNames makes it list processes only,
// before anything that is not ours is executed.
Result<os::Fd> new_proc();
// The same of the pid namespace that this process is in. The caller must have every capability in
// the user namespace that owns that one.
Result<os::Fd> new_proc_of(pid_t process);
bool kernel_makes_proc_of_others();  // since Linux 6.18
// A private instance of pseudo-terminals. It has only a few, because the kernel has a limited
// number of them for all. The caller's user namespace must have a root.
Result<os::Fd> new_terminals();
Status attach(const os::Fd& mount, const os::Fd& target, std::string_view name);
// Makes this mount read-only, and not those below it.
Status make_read_only(const os::Fd& mount, std::string_view name);
Status make_writable(const os::Fd& mount, std::string_view name);

}  // namespace paddock::sandbox
