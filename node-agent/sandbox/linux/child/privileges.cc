#include "node-agent/sandbox/linux/child/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

Status become_inside_user(bool privileged) {
  // The raw calls: the C library's would try to reach other threads, and there are none.
  if (privileged && syscall(SYS_setgroups, 0, nullptr) != 0)
    return step_error("dropping supplementary groups", errno);
  if (syscall(SYS_setresgid, kInitId, kInitId, kInitId) != 0)
    return step_error("taking the sandbox's gid", errno);
  if (syscall(SYS_setresuid, kInitId, kInitId, kInitId) != 0)
    return step_error("taking the sandbox's uid", errno);
  return {};
}

Status drop_privileges() {
  // Until the kernel knows no further one.
  int capability = 0;
  while (prctl(PR_CAPBSET_DROP, capability) == 0) ++capability;
  if (errno != EINVAL || prctl(PR_CAPBSET_READ, capability) >= 0)
    return step_error("dropping the capability bounding set", errno);
  return drop_capabilities();
}

Status drop_capabilities() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return step_error("no_new_privs", errno);
  constexpr unsigned long kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                  SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (prctl(PR_SET_SECUREBITS, kBits) != 0) return step_error("securebits", errno);
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    return step_error("ambient capabilities", errno);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  if (syscall(SYS_capset, &header, none) != 0) return step_error("dropping capabilities", errno);
  return {};
}

Status leave_keyring() {
  // ENOSYS: a kernel without keyrings has none to leave.
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr, 0, 0, 0) < 0 && errno != ENOSYS) {
    return step_error("leaving the session keyring", errno);
  }
  return {};
}

}  // namespace paddock::sandbox
