#include "common/os/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

namespace paddock::os {

FileWatch::FileWatch() : fd_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

bool FileWatch::add_file(const std::string& path) {
  return ::inotify_add_watch(fd_.get(), path.c_str(), IN_MODIFY) >= 0;
}

bool FileWatch::add_folder(const std::string& path) {
  constexpr uint32_t kChanges =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB;
  return ::inotify_add_watch(fd_.get(), path.c_str(), kChanges) >= 0;
}

void FileWatch::take_news() {
  alignas(inotify_event) char buffer[4096];
  while (::read(fd_.get(), buffer, sizeof buffer) > 0) {
  }
}

}  // namespace paddock::os
