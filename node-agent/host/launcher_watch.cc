#include "node-agent/host/launcher_watch.h"

#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <tuple>

#include "common/base/log.h"
#include "common/os/file.h"
#include "common/os/file_times.h"
#include "common/os/file_watch.h"

namespace paddock::agent {
namespace {

using FileIdentity = std::tuple<dev_t, ino_t, off_t, time_t, long, mode_t>;

FileIdentity identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  const timespec modified = os::modified_at(info);
  return {info.st_dev, info.st_ino, info.st_size, modified.tv_sec, modified.tv_nsec, info.st_mode};
}

// Calls `changed` whenever the file is not the one before, until `end` can be read.
void watch(os::FileWatch& news, int end, const std::string& program, FileIdentity known,
           const std::function<void()>& changed) {
  std::array<pollfd, 2> fds = {pollfd{news.fd(), POLLIN, 0}, pollfd{end, POLLIN, 0}};
  for (;;) {
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    news.take_news();
    const FileIdentity now = identity_of(program);
    if (now == known) continue;
    known = now;
    changed();
  }
}

}  // namespace

LauncherWatch::LauncherWatch(std::string program, std::function<void()> changed)
    : program_(std::move(program)), changed_(std::move(changed)) {
  os::FileWatch news;
  if (!news.add_folder(os::folder_of(program_))) {
    log_warn("the launcher's folder cannot be watched: restart the agent after an upgrade");
    return;
  }
  // The file is compared with its state before the thread starts, so that a change during that
  // counts.
  const FileIdentity known = identity_of(program_);
  thread_ = std::thread([this, known, news = std::move(news)]() mutable {
    watch(news, end_.fd(), program_, known, changed_);
  });
}

LauncherWatch::~LauncherWatch() {
  end_.raise();
  if (thread_.joinable()) thread_.join();
}

}  // namespace paddock::agent
