#include "node-agent/sandbox/result/spool_room.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "common/os/disk_space.h"

namespace paddock::sandbox {
namespace {

constexpr int64_t kAhead = int64_t{64} << 10;  // most output needs no room but this

int64_t largest_file() {
  rlimit limit{};
  constexpr rlim_t kMost = std::numeric_limits<int64_t>::max();
  return getrlimit(RLIMIT_FSIZE, &limit) == 0
             ? static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, kMost))
             : std::numeric_limits<int64_t>::max();
}

}  // namespace

SpoolRoom::SpoolRoom(int fd) : fd_(fd), largest_(largest_file()) {
  struct stat now {};
  if (fstat(fd, &now) == 0) end_ = kept_ = now.st_size;
}

bool SpoolRoom::make(size_t bytes, size_t behind) {
  const auto wanted = static_cast<int64_t>(bytes + behind);
  if (wanted > largest_ - end_) {
    met_limit_ = true;
    return false;
  }
  return end_ + wanted <= kept_ || keep(std::min(wanted + kAhead, largest_ - end_)) || keep(wanted);
}

bool SpoolRoom::keep(int64_t bytes) {
  const Status kept = os::keep_room(fd_, end_, bytes);
  if (kept.ok()) kept_ = end_ + bytes;
  return kept.ok() || kept.error().code != Code::kResourceExhausted;
}

void SpoolRoom::give_back() {
  if (kept_ > end_ && ftruncate(fd_, end_) == 0) kept_ = end_;
}

}  // namespace paddock::sandbox
