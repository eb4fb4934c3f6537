// The room for a run's events on its node's disk: behind whatever is written there stays enough for
// the result, so that a disk that others fill takes some of the output and never the result.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paddock::sandbox {

class SpoolRoom {
 public:
  // Of a regular file that nobody else writes to. The descriptor outlives it.
  explicit SpoolRoom(int fd);
  // Whether the file has room for `bytes` and, behind them, for `behind`. Where room cannot be kept
  // it has, until a write says otherwise.
  bool make(size_t bytes, size_t behind);
  void written(size_t bytes) { end_ += static_cast<int64_t>(bytes); }
  // What was kept and is not needed any more.
  void give_back();

 private:
  bool keep(int64_t bytes);

  int fd_;
  int64_t end_ = 0;   // of what is written
  int64_t kept_ = 0;  // up to where there is room
};

}  // namespace paddock::sandbox
