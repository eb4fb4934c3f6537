#include "node-agent/app/launcher_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <tuple>

#include "common/base/log.h"

namespace paddock::agent {
namespace {

using FileIdentity = std::tuple<dev_t, ino_t, off_t, time_t, long, mode_t>;

FileIdentity identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev,         info.st_ino,          info.st_size,
          info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_mode};
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

void drop_all(int fd) {
  std::array<char, 4096> ignored{};
  while (::read(fd, ignored.data(), ignored.size()) > 0) {
  }
}

// Calls `changed` whenever the file is not the one before, until `end` can be read.
void watch(int events, int end, const std::string& program, FileIdentity known,
           const std::function<void()>& changed) {
  std::array<pollfd, 2> fds = {pollfd{events, POLLIN, 0}, pollfd{end, POLLIN, 0}};
  for (;;) {
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    drop_all(events);
    const FileIdentity now = identity_of(program);
    if (now == known) continue;
    known = now;
    changed();
  }
}

}  // namespace

LauncherWatch::LauncherWatch(std::string program, std::function<void()> changed)
    : program_(std::move(program)), changed_(std::move(changed)), end_(::eventfd(0, EFD_CLOEXEC)) {
  os::Fd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (::inotify_add_watch(events.get(), folder_of(program_).c_str(),
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB) <
      0) {
    log_warn("the launcher's folder cannot be watched: restart the agent after an upgrade");
    return;
  }
  // What it is by now counts as known: a change while the thread starts is one.
  const FileIdentity known = identity_of(program_);
  thread_ = std::thread([this, known, events = std::move(events)] {
    watch(events.get(), end_.get(), program_, known, changed_);
  });
}

LauncherWatch::~LauncherWatch() {
  const uint64_t one = 1;
  (void)!::write(end_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
}

}  // namespace paddock::agent
