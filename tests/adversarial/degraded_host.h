// Makes a worse host of this one for one launcher: kernel features that are missing, or that say
// yes and do nothing. Called between fork and exec, in the process that becomes the launcher; each
// ends that process with kCannotWorsen if this host does not let it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace paddock::adversarial {

constexpr int kCannotWorsen = 77;

// A system call that fails, or with 0 as the error: that claims to have succeeded.
struct Missing {
  long call = 0;
  int error = 0;
  int argument = -1;    // which argument decides; -1: none
  uint32_t any_of = 0;  // with these bits set in it
};
// Inherited by all that the launcher starts.
void take_away(const Missing& missing);

// A kernel that says yes to filters of system calls, but for those that ask somebody, and has none.
void forget_filters();

// As an ordinary user of a user namespace of its own, in which `setting` of /proc/sys/user is 0.
void allow_none(const char* setting);
// A kernel that is taken for one of 2.6: each child makes its view itself.
void claim_old_kernel();
// No cgroup can be seen, or none can be written.
void hide_cgroups();
void write_protect_cgroups();

}  // namespace paddock::adversarial
