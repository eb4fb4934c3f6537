// Opens the parts of the host that a sandbox shows, as detached copies of mounts. Each source is
// opened once and then named by its descriptor alone, so that nobody can swap it for something
// else.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/base/reason.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

// The user that the command is on the host. The owner of each folder that it is given is mapped to
// it.
struct HostIdentity {
  bool privileged = false;  // the caller may map
  uid_t uid = kDefaultHostId;
  gid_t gid = kDefaultHostId;
  uid_t files_owner = kDefaultHostId;  // owns the folders that layers are made of
  // Mapping namespaces for files of root and of kDefaultHostId; -1: they are made when needed.
  int root_mapping = -1;
  int default_mapping = -1;
  // own_devices(); -1: device nodes are the host's.
  int devices = -1;
};
HostIdentity host_identity(const SandboxPlan& plan);

// The reason of an error that means: only a command that is the files' owner can be given them.
inline constexpr Reason kOwnerNotMapped = "OWNER_NOT_MAPPED";

// The host's /dev with inodes of its own, so that no program of the host waits for a lock that is
// taken on one of them. Invalid where the kernel makes no overlay of it, or opens no device of one.
os::Fd own_devices();

// Returns the entry's mount with its final attributes, or a file in memory with the bytes to place.
// Invalid if the entry has no source.
Result<os::Fd> open_source(const MountEntry& entry, const HostIdentity& identity);
// Opens the source of each entry of the table, in its order.
Result<std::vector<os::Fd>> open_sources(const std::vector<MountEntry>& table,
                                         const HostIdentity& identity);

}  // namespace paddock::sandbox
