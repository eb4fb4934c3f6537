// A user of the host for one sandbox alone, and the group of the same number: what the kernel
// counts by user (watches, queued signals, descriptors under way, pipes …) no other sandbox, and
// none of the host's own programs, has to share with it. It owns no file: mounts are mapped to it.
#pragma once

#include <unistd.h>

#include <utility>

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/users/user_range.h"

namespace paddock::sandbox {

class HostUser {
 public:
  // One of the host's range that nobody has: a lock says so, which is held as long as any copy of
  // this process has it, among all launchers that see the same /run. NO_OWN_USER, if there is none.
  static Result<HostUser> take();
  uid_t id() const { return id_; }
  // For who is that user, to be held as long as its processes are there, whoever takes it apart.
  int lock() const { return lock_.get(); }

  // Mapping namespaces for what root, and the default owner of workspaces, own; made once for many
  // sandboxes that have this user one after the other. Without: -1, and made when needed.
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

// While it lives, what this thread makes belongs to that user; it may do what it might before.
// It takes away the signal that the thread gets at its parent's death.
class ActingAs {
 public:
  static Result<ActingAs> user(uid_t id);
  ActingAs(ActingAs&& other) noexcept
      : group_(other.group_), active_(std::exchange(other.active_, false)) {}
  ActingAs& operator=(ActingAs&&) = delete;
  ~ActingAs();

 private:
  ActingAs() : group_(getegid()) {}
  gid_t group_;  // of before
  bool active_ = true;
};

}  // namespace paddock::sandbox
