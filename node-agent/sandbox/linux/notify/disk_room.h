// How much of the disk the programs of a run may have set aside for them at once (fallocate). That
// writes nothing, so it takes a whole disk within the tenth of a second between two looks at the
// workspace. A call gets what the last count has left; if that is too little, it waits for the next
// count, and gets nothing if that was begun after the call and has too little as well.
// Files in memory (a memfd, /dev/shm, /tmp) take nothing of the disk, but which file a descriptor
// is may change between the answer and the call. So what is asked for them counts by itself: up to
// the run's memory between two counts, which is all that such a change can bring. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "common/base/time.h"

namespace paddock::sandbox {

class DiskRoom {
 public:
  enum class Of { kDisk, kMemory };
  // `file_bytes`: the most that one file may have. `memory`: of the run, in bytes.
  DiskRoom(int64_t left, std::optional<int64_t> file_bytes, int64_t memory)
      : left_{left, memory}, memory_(memory), file_bytes_(file_bytes) {}

  std::optional<int64_t> file_bytes() const { return file_bytes_; }
  // Whether a call of `asked` may take so much; nothing: that is to be counted first.
  std::optional<bool> take(int64_t bytes, MonoTime asked, Of of = Of::kDisk) {
    const std::lock_guard hold(lock_);
    int64_t& left = left_[static_cast<size_t>(of)];
    if (bytes <= left) {
      left -= bytes;
      return true;
    }
    if (counted_ && *counted_ >= asked) {
      refused_ |= of == Of::kDisk;
      return false;
    }
    wanted_ = true;
    return std::nullopt;
  }
  // Whether somebody waits for a count.
  bool wanted() const {
    const std::lock_guard hold(lock_);
    return wanted_;
  }
  // A count that was begun at that time leaves so much.
  void counted(int64_t left, MonoTime begun) {
    const std::lock_guard hold(lock_);
    left_ = {left, memory_};
    counted_ = begun;
    wanted_ = false;
  }
  // Whether a call got nothing of the disk.
  bool refused() const {
    const std::lock_guard hold(lock_);
    return refused_;
  }

 private:
  mutable std::mutex lock_;
  std::array<int64_t, 2> left_;  // of each
  const int64_t memory_;
  const std::optional<int64_t> file_bytes_;
  std::optional<MonoTime> counted_;
  bool wanted_ = false;
  bool refused_ = false;
};

}  // namespace paddock::sandbox
