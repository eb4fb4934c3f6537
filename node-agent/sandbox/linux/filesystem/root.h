// How the child leaves the host's file system, in its own mount namespace.
#pragma once

#include <utility>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

// A folder that every host has. The new root is attached over it, which only the child sees, as it
// is alone in its mount namespace.
inline constexpr const char* kCoveredPoint = "/usr";

Status make_mounts_private();
// Replaces the caller's root by an empty read-only one and detaches everything else from the mount
// namespace. The caller must have opened what it still needs of the host.
Status leave_host();

// A mount namespace that holds nothing but an empty read-only root. What is cloned in it never has
// the host's mounts, so the kernel need not copy them for a sandbox, however many they are, and
// leave_host() has nothing to do. Only for single-threaded callers that may do all of this.
class EmptyRoot {
 public:
  static Result<EmptyRoot> make();
  // Enters it, and the destructor returns to where the caller was. A caller for which that fails
  // ends, as it would take the empty root for the host.
  class Visit {
   public:
    Visit(Visit&& other) noexcept : home_(std::exchange(other.home_, {})) {}
    Visit& operator=(Visit&&) = delete;
    ~Visit();

   private:
    friend class EmptyRoot;
    struct Home {
      os::Fd mounts;
      os::Fd root;
      os::Fd folder;
    };
    static Result<Home> here();
    explicit Visit(Home home) : home_(std::move(home)) {}
    Home home_;
  };
  Result<Visit> enter() const;

 private:
  explicit EmptyRoot(os::Fd mounts) : mounts_(std::move(mounts)) {}
  os::Fd mounts_;
};

// Makes the view the root of the command's process. This is the last use of its capability to
// chroot. The kernel lets no process that is chrooted make a user namespace.
Status enter_root(int view);

}  // namespace paddock::sandbox
