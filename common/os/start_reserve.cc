#include "common/os/start_reserve.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <optional>

#include "common/os/fd.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

constexpr int64_t kReserveBytes = 1 << 20;
constexpr int64_t kEnoughToStart = kReserveBytes / 4;
constexpr int64_t kEnoughToKeepSome = kReserveBytes * 8;

std::optional<int64_t> free_bytes(const std::string& folder) {
  struct statvfs room = {};
  if (::statvfs(folder.c_str(), &room) != 0) return std::nullopt;
  return static_cast<int64_t>(room.f_bavail) * static_cast<int64_t>(room.f_frsize);
}

// All of it, so that the blocks are its own; a part of it is no reserve.
void keep_some(const std::string& path) {
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return;
  if (!write_all(file.get(), std::string(kReserveBytes, '\0'))) (void)::unlink(path.c_str());
}

}  // namespace

Reserve look_at_room(const std::string& data_dir) {
  const std::optional<int64_t> free = free_bytes(data_dir);
  if (!free || *free >= kEnoughToStart) return Reserve::kKept;
  return exists(join_path(data_dir, kStartReserve)) ? Reserve::kGivenUp : Reserve::kMissing;
}

Reserve make_room_to_start(const std::string& data_dir) {
  const std::string path = join_path(data_dir, kStartReserve);
  if (look_at_room(data_dir) == Reserve::kKept) {
    const std::optional<int64_t> free = free_bytes(data_dir);
    if (free && *free >= kEnoughToKeepSome) keep_some(path);
    return Reserve::kKept;
  }
  return ::unlink(path.c_str()) == 0 ? Reserve::kGivenUp : Reserve::kMissing;
}

std::string full_disk_text(Reserve reserve) {
  switch (reserve) {
    case Reserve::kKept:
      return "";
    case Reserve::kGivenUp:
      return "the disk of the data folder is full; starting on what was kept for that";
    case Reserve::kMissing:
      return "the disk of the data folder is full, and nothing is left of what was kept for a "
             "start";
  }
  return "";
}

}  // namespace paddock::os
