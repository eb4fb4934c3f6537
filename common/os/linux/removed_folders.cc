#include "common/os/linux/removed_folders.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/os/copied_descriptor.h"

namespace paddock::os {
namespace {

constexpr int kPathOfFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr unsigned kPlaceOfSocket = 0x89e0;  // SIOCUNIXFILE
constexpr int kWithParent = 2;               // AT_HANDLE_CONNECTABLE, Linux 6.13
constexpr int kTypeMask = 0xffff;
constexpr size_t kMostHandle = 128;

// How a file system's number of a file holds that of the folder it is in: ext4 and XFS with numbers
// of 32 bits, and XFS with 64.
struct HandleKind {
  int of_file;
  int of_folder;
  size_t size;  // of each of the two, one behind the other
};
constexpr std::array kKinds = {HandleKind{2, 1, 8}, HandleKind{0x82, 0x81, 12}};

struct Handle {
  alignas(file_handle) std::array<std::byte, sizeof(file_handle) + kMostHandle> room{};
  file_handle* head() { return reinterpret_cast<file_handle*>(room.data()); }
};

// The folder that a file was in, whatever has its name now.
Fd folder_of_file(int folder, const char* link, int on_disk) {
  Handle file;
  file.head()->handle_bytes = kMostHandle;
  int mount = 0;
  if (name_to_handle_at(folder, link, file.head(), &mount, AT_SYMLINK_FOLLOW | kWithParent) != 0)
    return {};
  for (const HandleKind& kind : kKinds) {
    if ((file.head()->handle_type & kTypeMask) != kind.of_file ||
        file.head()->handle_bytes < 2 * kind.size)
      continue;
    Handle above;
    above.head()->handle_type = kind.of_folder;
    above.head()->handle_bytes = static_cast<unsigned>(kind.size);
    std::memcpy(above.head()->f_handle, file.head()->f_handle + kind.size, kind.size);
    return Fd(open_by_handle_at(on_disk, above.head(), kPathOfFolder));
  }
  return {};
}

}  // namespace

void add_removed_above(int folder, const char* link, const struct stat& info, int on_disk,
                       const std::function<void(const struct stat&)>& add) {
  Fd above;
  if (S_ISDIR(info.st_mode)) {
    const Fd here(openat(folder, link, kPathOfFolder));
    above.reset(openat(here.get(), "..", kPathOfFolder));
  } else if (on_disk >= 0) {
    above = folder_of_file(folder, link, on_disk);
  }
  struct stat seen {};
  while (above.valid() && fstat(above.get(), &seen) == 0 && seen.st_nlink == 0) {
    add(seen);
    above.reset(openat(above.get(), "..", kPathOfFolder));
  }
}

Fd place_of_socket(pid_t pid, int socket) {
  const Fd copy = copied_descriptor(descriptors_of(pid), socket);
  return Fd(copy.valid() ? ioctl(copy.get(), kPlaceOfSocket) : -1);
}

}  // namespace paddock::os
