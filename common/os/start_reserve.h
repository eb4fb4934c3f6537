// A small file, and a folder of empty ones, that a daemon keeps on the disk of its data folder.
// When others have filled the disk, with bytes or with files, the daemon removes them and so can
// start: it then serves requests that need no space, and requests that free some.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace paddock::os {

inline constexpr const char* kStartReserve = "reserve";        // the file, in the data folder
inline constexpr const char* kFilesReserve = "reserve-files";  // the folder beside it

// What a disk has left for us.
struct DiskRoom {
  int64_t bytes = 0;
  std::optional<int64_t> files;  // absent: it counts none
};
// Nothing where it cannot be told.
std::optional<DiskRoom> room_at(const std::string& folder);
// Whether a daemon can start on it without its reserve.
bool is_enough_to_start(const DiskRoom& room);

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
