#include "common/os/thread_user.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace paddock::os {

// The C library has no call of one thread only. What the thread asks for is checked when it is
// used.
ThreadUser::ThreadUser(std::optional<uid_t> uid) : changed_(uid.has_value()) {
  if (!uid) return;
  (void)::syscall(SYS_setfsgid, *uid);
  (void)::syscall(SYS_setfsuid, *uid);
}

ThreadUser::~ThreadUser() {
  if (!changed_) return;
  (void)::syscall(SYS_setfsuid, ::geteuid());
  (void)::syscall(SYS_setfsgid, ::getegid());
}

}  // namespace paddock::os
