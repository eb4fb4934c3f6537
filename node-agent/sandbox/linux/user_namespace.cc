#include "node-agent/sandbox/linux/user_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/raw.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kRemedy =
    "user namespaces may be switched off here: see sysctl user.max_user_namespaces, "
    "kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns";

Status write_map(pid_t pid, const char* file, const std::string& text) {
  const std::string process = pid == 0 ? "proc/self" : cat("/proc/", pid);
  const os::Fd fd(open(cat(process, "/", file).c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() ||
      write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return step_error(cat("writing the user namespace's ", file), errno, kRemedy);
  }
  return {};
}

}  // namespace

Status write_id_maps(pid_t pid, const IdMap& ids, bool privileged) {
  if (!privileged) TRY(write_map(pid, "setgroups", "deny"));
  TRY(write_map(pid, "uid_map", cat(ids.inside_uid, " ", ids.outside_uid, " 1")));
  return write_map(pid, "gid_map", cat(ids.inside_gid, " ", ids.outside_gid, " 1"));
}

Result<os::Fd> make_mapping_namespace(const IdMap& ids) {
  int raw_pidfd = -1;
  const pid_t launcher = getpid();
  const pid_t pid = raw::clone_process(CLONE_NEWUSER, &raw_pidfd);
  if (pid < 0) return step_error("making a user namespace for mounts", errno, kRemedy);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) _exit(1);
    for (;;) pause();
  }
  const os::Fd pidfd(raw_pidfd);
  const Status mapped = write_id_maps(pid, ids, true);
  os::Fd space(open(cat("/proc/", pid, "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  const int open_error = errno;
  raw::pidfd_send_signal(pidfd.get(), SIGKILL);
  waitpid(pid, nullptr, 0);
  TRY(mapped);
  if (!space.valid()) return step_error("opening the user namespace for mounts", open_error);
  return space;
}

}  // namespace paddock::sandbox
