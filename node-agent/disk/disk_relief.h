// Who is ended when the disk of the agent's data folder comes to its end all the same, in bytes or
// in files: so that what others asked for, what they print and how they end still finds room. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/os/folder_use.h"
#include "node-agent/devices/probe.h"

namespace paddock::agent {

// What a run or a session has taken of it, and asked for.
struct DiskUser {
  os::FolderUse taken;
  int64_t asked = 0;
  bool ending = false;  // told to already: what it has taken comes back by itself

  // Whether it keeps something from being counted: on purpose, or by a folder that its agent, an
  // ordinary user, may not read.
  bool hides() const { return taken.unreadable || taken.cut_off; }
  // Nobody asks for files: one for each 16 KiB, as most disks are made.
  int64_t asked_files() const { return asked >> 14; }
};

enum class Shortage { kNone, kBytes, kFiles };
// Under a quarter of `min_free`, or of the files at which no run comes (disk_room.h), with what
// `users` that end already give back. None where `min_free` is 0.
Shortage shortage(const devices::DiskRoom& room, int64_t min_free,
                  const std::vector<DiskUser>& users = {});

// The one that took most beyond what it asked for, if its end is enough; else one that cannot be
// counted, if there is one. So who hides gains nothing by it but to be the second, and who has a
// folder that nobody may read is not ended in place of who fills the disk. Nobody if all keep to
// what they asked for: then others fill it.
std::optional<size_t> whom_to_end(Shortage of, const devices::DiskRoom& room, int64_t min_free,
                                  const std::vector<DiskUser>& users);

// What it is told. `what`: run or session.
std::string beyond_request_text(Shortage of, std::string_view what, const DiskUser& user,
                                const devices::DiskRoom& room, int64_t min_free);

}  // namespace paddock::agent
