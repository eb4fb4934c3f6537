#include "common/os/file_watch.h"

#include <fcntl.h>

#include "common/os/darwin/kqueue.h"

namespace paddock::os {
namespace {

bool watch(const Fd& queue, const std::string& path, std::vector<Fd>& watched) {
  Fd file(::open(path.c_str(), O_EVTONLY | O_CLOEXEC));
  if (!file.valid() || !ask(queue, static_cast<uintptr_t>(file.get()), EVFILT_VNODE,
                            EV_ADD | EV_CLEAR, NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB))
    return false;
  watched.push_back(std::move(file));
  return true;
}

}  // namespace

FileWatch::FileWatch() : fd_(new_queue()) {}

bool FileWatch::add_file(const std::string& path) { return watch(fd_, path, watched_); }

bool FileWatch::add_folder(const std::string& path) { return watch(fd_, path, watched_); }

void FileWatch::take_news() { (void)take_news_of(fd_); }

}  // namespace paddock::os
