// The parts of the host that a sandbox shows, as detached copies of mounts. Every source is opened
// once and from then on named by its descriptor: nothing can be swapped in between.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

// Whom the command is on the host; the owner of each folder that it is given is mapped to that.
struct HostIdentity {
  bool privileged = false;  // the caller may map
  uid_t uid = kDefaultHostId;
  gid_t gid = kDefaultHostId;
  uid_t files_owner = kDefaultHostId;  // of what layers are made of
  // Mapping namespaces for what root and kDefaultHostId own, made before; -1: made when needed.
  int root_mapping = -1;
  int default_mapping = -1;
};
HostIdentity host_identity(const SandboxPlan& plan);

// The reason of an error where a command can be given its files only as their owner.
inline constexpr const char* kOwnerNotMapped = "OWNER_NOT_MAPPED";

// With its final attributes, or a file in memory with what is to be placed; invalid where the entry
// has no source.
Result<os::Fd> open_source(const MountEntry& entry, const HostIdentity& identity);
// One per table entry.
Result<std::vector<os::Fd>> open_sources(const std::vector<MountEntry>& table,
                                         const HostIdentity& identity);

}  // namespace paddock::sandbox
