// User namespaces: those of a sandbox, and those without processes that only carry the id mapping
// of a mount or own a network namespace.
#pragma once

#include <sys/types.h>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

struct IdMap {
  uid_t inside_uid = 0;
  gid_t inside_gid = 0;
  uid_t outside_uid = 0;
  gid_t outside_gid = 0;
};

// Gives a child that waits in a new user namespace its one uid and one gid. `pid` is the child. 0
// means the calling process itself; its working folder must then contain the /proc.
Status write_id_maps(pid_t pid, const IdMap& ids, bool privileged);

// A user namespace without processes, for id-mapped mounts: files of `inside` on disk belong to
// `outside` when reached through the mount; all others to their own owners, where the caller may
// say so (CAP_SETFCAP), and else to nobody.
Result<os::Fd> make_mapping_namespace(const IdMap& ids);

// A network namespace without processes. It belongs to a user namespace of its own, whose parent is
// the caller's: so the caller may set it up without CAP_NET_ADMIN, which services and containers
// need not give, and a process in yet another user namespace may not.
Result<os::Fd> make_network_namespace();

}  // namespace paddock::sandbox
