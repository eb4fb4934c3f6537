// The entries of a folder of /proc, opened below its parent: no link is followed. Linux.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>

namespace paddock::os {

inline constexpr int kProcFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Null where it cannot be opened: its process has ended, or is another user's.
using ProcListing = std::unique_ptr<DIR, int (*)(DIR*)>;

inline ProcListing open_proc_listing(int parent, const char* name) {
  const int fd = openat(parent, name, kProcFolder);
  DIR* listing = fd < 0 ? nullptr : fdopendir(fd);
  if (listing == nullptr && fd >= 0) close(fd);
  return {listing, closedir};
}

// Null behind the last one. The name is good until the next call.
inline const char* next_entry(const ProcListing& listing) {
  while (const dirent* entry = listing ? readdir(listing.get()) : nullptr) {
    if (entry->d_name[0] != '.') return entry->d_name;
  }
  return nullptr;
}

}  // namespace paddock::os
