// A small file that a daemon keeps on the disk of its data folder. When others have filled the
// disk, the daemon removes it and so can start: it then serves requests that need no space, and
// requests that free some.
#pragma once

#include <string>

namespace paddock::os {

inline constexpr const char* kStartReserve = "reserve";  // the file, in the data folder

enum class Reserve {
  kKept,     // there is room, and the reserve
  kGivenUp,  // the disk is full: the reserve was removed just now, and what it held can be used
  kMissing,  // the disk is full, and there is no reserve to give up
};

// For the start of a daemon, before it writes anything. Best effort: nothing of it is an error.
Reserve make_room_to_start(const std::string& data_dir);
// What make_room_to_start() would do now; nothing is written or removed.
Reserve look_at_room(const std::string& data_dir);
// What a log is to say of it; empty where there is room.
std::string full_disk_text(Reserve reserve);

}  // namespace paddock::os
