// Decides which run or session is ended when the disk of the agent's data folder is full, in bytes
// or in files, so that there is room again for what the others asked for, for their output and for
// their results. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/os/folder_use.h"
#include "node-agent/devices/probe.h"

namespace paddock::agent {

// The disk that a run or a session has taken, and what it asked for.
struct DiskUser {
  os::FolderUse taken;
  int64_t asked = 0;
  bool ending = false;  // told to already: what it has taken comes back by itself

  // Whether it keeps something from being counted: on purpose, or by a folder that its agent, an
  // ordinary user, may not read.
  bool hides() const { return taken.unreadable || taken.cut_off; }
  // Runs ask for bytes only. Their files are taken to be one for each 16 KiB, as most disks are
  // made.
  int64_t asked_files() const { return asked >> 14; }
};

enum class Shortage { kNone, kBytes, kFiles };
// Under a quarter of `min_free`, or of the files at which no run comes (disk_room.h), with what
// `users` that end already give back. None where `min_free` is 0.
Shortage shortage(const devices::DiskRoom& room, int64_t min_free,
                  const std::vector<DiskUser>& users = {});

// The user that took most beyond its request, if its end frees enough; otherwise one that cannot be
// counted, if there is one. So hiding files gains nothing but to be second, and a user with an
// unreadable folder is not ended in place of the one that fills the disk. None if all keep to their
// requests: then other programs fill the disk.
std::optional<size_t> whom_to_end(Shortage of, const devices::DiskRoom& room, int64_t min_free,
                                  const std::vector<DiskUser>& users);

// The message for the one that is ended. `what`: run or session.
std::string beyond_request_text(Shortage of, std::string_view what, const DiskUser& user,
                                const devices::DiskRoom& room, int64_t min_free);

}  // namespace paddock::agent
