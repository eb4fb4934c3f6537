// What the kernel keeps for open folders and charges to nobody. ext4 has the names of a block in
// memory for whoever has begun to read one, and an overlay a list of all names of a folder that it
// puts together: a new one for each reader, if the folder has changed meanwhile. The kernel tells
// nobody how much that is, so this is an estimate from above.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <utility>

namespace paddock::sandbox {

// A descriptor on its way through a socket may be a folder that was read: nobody can look at it.
inline constexpr int64_t kBytesOfOneUnderWay = int64_t{1} << 20;

class OpenFolders {
 public:
  // Counts what a descriptor leads to, if that is a folder: below `fds`, the folder
  // /proc/PROCESS/fd or another one, `link` leads there too.
  void add(pid_t process, int descriptor, int fds, const char* link);
  void add_under_way(int64_t descriptors) { bytes_ += descriptors * kBytesOfOneUnderWay; }
  // A thread that waits for room in a socket has what it sends, also if it was closed meanwhile.
  void add_sender();
  int64_t bytes() const { return bytes_; }

 private:
  using File = std::pair<dev_t, ino_t>;
  bool is_inherited(pid_t process, int descriptor, const File& file);
  int64_t list_of(int fds, const char* link, const File& file, int64_t size);

  int64_t bytes_ = 0;
  std::map<File, int64_t> lists_;                   // of overlays
  std::map<std::pair<File, int>, pid_t> last_had_;  // by file and descriptor
};

}  // namespace paddock::sandbox
