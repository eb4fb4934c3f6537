#include "common/os/start_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
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

constexpr int64_t kReserveFiles = 16;
constexpr int64_t kFilesToStart = kReserveFiles / 4;
constexpr int64_t kFilesToKeepSome = kReserveFiles * 8;

bool has_bytes(const DiskRoom& room) { return room.bytes >= kEnoughToStart; }
bool has_files(const DiskRoom& room) { return room.files.value_or(kFilesToStart) >= kFilesToStart; }

bool has_to_spare(const DiskRoom& room) {
  return room.bytes >= kEnoughToKeepSome &&
         room.files.value_or(kFilesToKeepSome) >= kFilesToKeepSome;
}

// All of it, so that the blocks are its own; a part of it is no reserve.
void keep_bytes(const std::string& path) {
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return;
  if (!write_all(file.get(), std::string(kReserveBytes, '\0'))) (void)::unlink(path.c_str());
}

void keep_files(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0) return;
  for (int64_t i = 0; i < kReserveFiles; ++i)
    (void)Fd(::open(join_path(folder, std::to_string(i)).c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

}  // namespace

std::optional<DiskRoom> room_at(const std::string& folder) {
  struct statvfs room = {};
  if (::statvfs(folder.c_str(), &room) != 0) return std::nullopt;
  DiskRoom out;
  out.bytes = static_cast<int64_t>(room.f_bavail) * static_cast<int64_t>(room.f_frsize);
  // Some file systems say how many files they have and not how many more (CephFS: -1).
  if (room.f_files > 0 && room.f_favail <= room.f_files)
    out.files = static_cast<int64_t>(room.f_favail);
  return out;
}

bool is_enough_to_start(const DiskRoom& room) { return has_bytes(room) && has_files(room); }

Reserve look_at_room(const std::string& data_dir) {
  const std::optional<DiskRoom> room = room_at(data_dir);
  if (!room || is_enough_to_start(*room)) return Reserve::kKept;
  const bool bytes = has_bytes(*room) || exists(join_path(data_dir, kStartReserve));
  const bool files = has_files(*room) || exists(join_path(data_dir, kFilesReserve));
  return bytes && files ? Reserve::kGivenUp : Reserve::kMissing;
}

Reserve make_room_to_start(const std::string& data_dir) {
  const std::string bytes = join_path(data_dir, kStartReserve);
  const std::string files = join_path(data_dir, kFilesReserve);
  const Reserve seen = look_at_room(data_dir);
  if (seen == Reserve::kKept) {
    const std::optional<DiskRoom> room = room_at(data_dir);
    if (!room || !has_to_spare(*room)) return seen;
    keep_bytes(bytes);
    keep_files(files);
    return seen;
  }
  (void)::unlink(bytes.c_str());
  (void)remove_tree(files);
  return seen;
}

std::string full_disk_text(Reserve reserve) {
  switch (reserve) {
    case Reserve::kKept:
      return "";
    case Reserve::kGivenUp:
      return "the disk of the data folder is full (df -h, df -i); starting on what was kept for "
             "that";
    case Reserve::kMissing:
      return "the disk of the data folder is full (df -h, df -i), and nothing is left of what was "
             "kept for a start";
  }
  return "";
}

}  // namespace paddock::os
