// A user of the host for one sandbox alone, and the group of the same number. The kernel counts
// many things by user (watches, queued signals, descriptors under way, pipes …), and so a sandbox
// shares these counts with no other one and with no program of the host. The user owns no file:
// files belong to it only through the mapping of a mount.
#pragma once

#include <unistd.h>

#include <utility>

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/users/user_range.h"

namespace paddock::sandbox {

class HostUser {
 public:
  // Takes a free user of the host's range. A lock marks it as taken for all launchers that see the
  // same /run, as long as this process or a copy of it holds the lock. NO_OWN_USER if none is free.
  static Result<HostUser> take();
  uid_t id() const { return id_; }
  // The lock's descriptor. The sandbox's init holds it too, so that the user stays taken as long as
  // it has processes.
  int lock() const { return lock_.get(); }

  // Makes the mapping namespaces for files of root and of the default owner of workspaces: once,
  // for all sandboxes that have this user one after the other. Without this call both are -1, and
  // each sandbox makes them when it needs them.
  Status make_mappings();
  int of_root() const { return of_root_.get(); }
  int of_default() const { return of_default_.get(); }

 private:
  HostUser(uid_t id, os::Fd lock) : id_(id), lock_(std::move(lock)) {}
  uid_t id_;
  os::Fd lock_;
  os::Fd of_root_;
  os::Fd of_default_;
};

// While this object lives, what the thread creates belongs to that user. The thread keeps its
// capabilities, but the kernel clears the signal that it would get at its parent's death.
class ActingAs {
 public:
  static Result<ActingAs> user(uid_t id);
  ActingAs(ActingAs&& other) noexcept
      : group_(other.group_), active_(std::exchange(other.active_, false)) {}
  ActingAs& operator=(ActingAs&&) = delete;
  ~ActingAs();

 private:
  ActingAs() : group_(getegid()) {}
  gid_t group_;  // the thread's group before
  bool active_ = true;
};

}  // namespace paddock::sandbox
