// Counts what a folder takes of its disk, for a caller that cannot trust what is in it: blocks, and
// names of files and folders. No link is followed, and no other file system entered. Reads only,
// but for `open_closed`.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::os {

struct FolderUse {
  int64_t bytes = 0;
  int64_t files = 0;        // and folders, by name
  bool unreadable = false;  // some folder was
  bool cut_off = false;     // there are more names than it was to look at, or had the time for
};

struct FolderCount {
  int64_t most_names = INT64_MAX;  // it stops at the next one
  bool layered = false;            // an overlay's marks of removed files do not count
  // Only what was changed in any way after this time of the host's clock, as the kernel notes it:
  // no program can set that. 0: all.
  int64_t since_ns = 0;
  // A folder that its owner closed (no r or x of its own) gets mode 0700, which stays: for who owns
  // them all and is no root, from whom they would be hidden.
  bool open_closed = false;
  // Asked at each name and each file that is held: whether there is no more time for it.
  std::function<bool()> over = {};
};
// For what one run or session takes of a disk that is full: its owner decides how long it takes,
// and meanwhile nobody gives way. A million names are some seconds.
inline constexpr Millis kCountTime{20'000};
// One descriptor per level, the folder itself included.
constexpr size_t kDeepestFolder = 200;
// TooLarge, TREE_TOO_DEEP where folders are nested deeper.
Result<FolderUse> folder_use(int folder, const FolderCount& how);

struct NamelessUse {
  int64_t bytes = 0;
  int64_t files = 0;        // of any type, and folders
  int64_t looked_at = 0;    // what was open or mapped, with a name or without: how long it took
  bool unreadable = false;  // some are on their way through a socket, or `over` came first
  // Somebody may hold more than was counted: on its way through a socket; mapped, where we may not
  // look at mappings; or in a process with more filters of system calls than `top` that does not
  // let us look into it (`top` and its like, which are ours, do not either).
  bool uncounted = false;
};
// The deleted files and folders on the file system `device` that any thread of `top` or of a
// process below it still holds: open, as its program, as where it stands, or mapped (only where we
// may read mappings). `layered`: each process's own workspace, an overlay with a device number of
// its own, takes the place of `device`. And the removed folders above all these: above files only
// with `on_disk`, a folder of that file system, and where the kernel tells of them.
NamelessUse nameless_use(pid_t top, dev_t device, bool layered = false,
                         const std::function<bool()>& over = {}, int on_disk = -1);

// Both together, of a folder that processes below each of `tops` write to. What cannot be counted,
// also in a second look, makes it `unreadable`. Programs hand each other descriptors all the time,
// and each is on its way for a moment: so there `pause` and further looks follow, kLooks in all, of
// which one in which nothing is on its way is enough. It shows all that the first ones could not.
// Those look at the processes alone: the folder, which may hold millions of names, is not in doubt.
constexpr int kLooks = 10;
void pause_between_looks();  // 5 ms
FolderUse whole_use(int folder, const std::vector<pid_t>& tops, const FolderCount& how,
                    const std::function<void()>& pause = pause_between_looks);

}  // namespace paddock::os
