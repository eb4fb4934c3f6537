#include "node-agent/sandbox/linux/users/user_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

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

// A process that holds new namespaces until they have been opened, and does nothing else.
class WaitingChild {
 public:
  static Result<WaitingChild> start(uint64_t namespaces, const char* step) {
    int pidfd = -1;
    const pid_t launcher = getpid();
    const pid_t pid = raw::clone_process(namespaces, &pidfd);
    if (pid < 0) return step_error(step, errno, kRemedy);
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != launcher) _exit(1);
      for (;;) pause();
    }
    return WaitingChild(pid, os::Fd(pidfd));
  }
  WaitingChild(WaitingChild&&) = default;
  WaitingChild& operator=(WaitingChild&&) = delete;
  ~WaitingChild() {
    if (!pidfd_.valid()) return;
    raw::pidfd_send_signal(pidfd_.get(), SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  Result<os::Fd> open_namespace(const char* kind) const {
    os::Fd out(open(cat("/proc/", pid_, "/ns/", kind).c_str(), O_RDONLY | O_CLOEXEC));
    if (!out.valid()) return step_error(cat("opening a namespace: ", kind), errno);
    return out;
  }

 private:
  WaitingChild(pid_t pid, os::Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  pid_t pid_;
  os::Fd pidfd_;
};

// Maps every id to itself, except `inside`, which becomes `outside`. Files of `outside` on disk
// belong to nobody then.
std::string map_all(uint64_t inside, uint64_t outside) {
  constexpr uint64_t kEnd = 0xffffffff;  // itself no id
  std::string out = cat(inside, " ", outside, " 1\n");
  uint64_t from = 0;
  for (const uint64_t to : {std::min(inside, outside), std::max(inside, outside), kEnd}) {
    if (to > from) out += cat(from, " ", from, " ", to - from, "\n");
    from = to + 1;
  }
  return out;
}

Status write_mount_map(pid_t pid, const char* file, uint64_t inside, uint64_t outside) {
  if (write_map(pid, file, map_all(inside, outside)).ok()) return {};
  return write_map(pid, file, cat(inside, " ", outside, " 1"));
}

}  // namespace

Status write_id_maps(pid_t pid, const IdMap& ids, bool privileged) {
  if (!privileged) TRY(write_map(pid, "setgroups", "deny"));
  TRY(write_map(pid, "uid_map", cat(ids.inside_uid, " ", ids.outside_uid, " 1")));
  return write_map(pid, "gid_map", cat(ids.inside_gid, " ", ids.outside_gid, " 1"));
}

Result<os::Fd> make_mapping_namespace(const IdMap& ids) {
  ASSIGN_OR_RETURN(const WaitingChild child,
                   WaitingChild::start(CLONE_NEWUSER, "making a user namespace for mounts"));
  TRY(write_mount_map(child.pid(), "uid_map", ids.inside_uid, ids.outside_uid));
  TRY(write_mount_map(child.pid(), "gid_map", ids.inside_gid, ids.outside_gid));
  return child.open_namespace("user");
}

Result<os::Fd> make_network_namespace() {
  ASSIGN_OR_RETURN(const WaitingChild child,
                   WaitingChild::start(CLONE_NEWUSER | CLONE_NEWNET, "making a network namespace"));
  return child.open_namespace("net");
}

}  // namespace paddock::sandbox
