// Keeps room for a run's events on its node's disk. There is always enough left behind what was
// written for the result. So when others fill the disk, some output may be lost, but never the
// result. A file that is as large as this process may make one (RLIMIT_FSIZE) has no room either.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paddock::sandbox {

class SpoolRoom {
 public:
  // `fd`: a regular file that nobody else writes to. It must outlive this object.
  explicit SpoolRoom(int fd);
  // Whether the file has room for `bytes` and, after them, for `behind`. A file system that cannot
  // reserve room is taken to have it until a write fails.
  bool make(size_t bytes, size_t behind);
  void written(size_t bytes) { end_ += static_cast<int64_t>(bytes); }
  // Frees the room that was kept and is no longer needed.
  void give_back();
  // Whether it was the limit of this process that left no room.
  bool met_limit() const { return met_limit_; }

 private:
  bool keep(int64_t bytes);

  int fd_;
  int64_t end_ = 0;   // of what is written
  int64_t kept_ = 0;  // up to where there is room
  int64_t largest_;   // that this process may make a file
  bool met_limit_ = false;
};

}  // namespace paddock::sandbox
